diff <(a) <(b c)
tee >(a) >(b) < c
cat <(a)b
a > >(b)
a < <(b)
while read x; do y; done < <(z)
a 2> >(b >&2)
vim =(ls)
