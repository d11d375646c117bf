echo 'abc
echo "abc
echo "abc $(d
echo $(a
echo `a
echo ${x
echo ${x:-y
echo ${}
echo ${x y}
echo ${(f)x}
echo ${${x}}
echo $'a
a )
( a
{ a
if a; then b
if a; b; fi
while a; b; done
for x in a
for in a; do b; done
case x
case x in a
case x in a) b
fi
then a
a; done
}
esac
a (b)
(a) b
a; )b
f( a
x=(a
echo @(a
$(if a; then ) ; b
{ a; ) ; b
( a; } ; b )
if a; then b; fi c
