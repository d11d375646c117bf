x=1
x=1 y=2 a
x= a
x+=1
x[0]=1 y[$i]+=2 z[a b]=3
x=(a b c)
x+=(a)
x=([0]=a [k]="b c" d)
x=(
a # c
b
)
x=($(a) `b` *.c {d,e})
a x=1
x=1 > f
"x"=1
x\=1
1x=2
declare -a x=(a b)
local x=(a) y=b
export x=$(rm y)
readonly x=`y`
x=a$b"c"'d'
PATH=/x:$PATH a
x=() y
a.b=c
x=(a;b)
