echo $((1 + 2))
echo $((x * (y + 1)))
echo $(( $(rm x) + ${y} ))
echo $((a[0] << 2))
(( x++ ))
((x > 1)) && y
(( (1 + 2) * 3 ))
((a); b)
( (a); b)
((a) )
$((echo a); echo b)
echo $((echo a); (echo b))
echo $[1 + 2]
echo "$((1+1))"
(( x = "$((1+2))" ))
echo $(( 0x1F & ~3 | 2 ))
echo $((x ? y : z))
