ls *.c ?.h [a-z]* [!a] [^b] []a] [!]a]
ls [[:alpha:]]x [a[:digit:]b]
ls a[ b] [
ls \* "*" '*' a\?b
ls **/x
ls @(a|b) ?(a) *(b|c) +(d) !(e)
ls !(*.c|@(x|y))
ls @($(a)|b)
ls *(.)
ls [a/b]
ls [$x] ["a b"]
[ -f x ]
[ a = b ] && c
a[1] b
ls x[
