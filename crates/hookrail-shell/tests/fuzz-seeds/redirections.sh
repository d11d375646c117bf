a > b
a >b 2>&1
a 2>/dev/null
a >> b < c
a >| b
a <> b
a &> b
a &>> b
a >& b
a 2>&- <&-
a 3<&0 4>&3-
a {fd}> b
a {fd}<&-
> b
> b a
a > b c > d e
a 2 > b
a2>b
a >"b c" 2>$d
a >$(b)
{ a; b; } > c 2>&1
( a ) < b
while a; do b; done > c
if a; then b; fi >> c
a <<< b
a <<< "b $c"
a<<<b>c
a >
a 1>&2
a > b; c
a >b&
a &>b & c
2>&1 a
a 99999999999>b
a <
for x in a; do b; done <c | d
