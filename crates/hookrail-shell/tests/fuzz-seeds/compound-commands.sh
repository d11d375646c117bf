if a; then b; fi
if a; then b; else c; fi
if a; then b; elif c; then d; elif e; then f; else g; fi
if a
then
b
fi
if a && b; then c; fi
if ! a; then b; fi
if (a) then (b) fi
if { a; } then { b; } fi
while a; do b; c; done
until a; do b; done
while :; do a; done &
for x in a b c; do d; done
for x in a b
do c
done
for x; do a; done
for x do a; done
for x
do a; done
for x in; do a; done
for x in *.c $(ls) {1..3}; do a; done
for x in a; { b; }
for ((i=0; i<3; i++)); do a; done
for ((;;)) do a; done
for ((i=$(a);;)) { b; }
select x in a b; do c; done
case $x in a) b;; esac
case x in a|b) c;; (d) e;; *) f; esac
case x in a) b;& c) d;;& e) f;; esac
case x in esac
case x
in
a)
b
;;
esac
case "$x" in "a b"|[c-d]*) ;; esac
case x in $(a)) b;; esac
case x in a) case y in b) c;; esac;; esac
case x in if) a;; esac
{ a; b; }
{ a; } && b
{a; }
( a; b )
(a)
(a) | (b) & (c)
{ { { a; }; }; }
( ( a ) )
if a; then if b; then c; fi; fi
while a; do for x in b; do c; done; done
echo if then fi
echo }
if=1
echo { a
\if a
"if" a
w\
hile a; do b; done
a { b }
