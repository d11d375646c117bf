echo $HOME $1 $10 $@ $* $# $? $- $$ $! $0
echo ${HOME} ${10} ${@} ${#} ${?} ${-} ${$} ${!}
echo "$HOME/x"
echo $HOME.x
echo ${x:-y} ${x-y} ${x:=y} ${x=y} ${x:?y} ${x?y} ${x:+y} ${x+y}
echo ${x:-$(rm y)}
echo ${x:-a b "c d" 'e f'}
echo "${x:-'a b' "c d"}"
echo "${x#'a'}"
echo ${#x} ${#x[@]} ${#@} ${#} ${##} ${#?} ${#-}
echo ${x:1} ${x:1:2} ${x: -1} ${x:$y:$((z))}
echo ${x#a*} ${x##a*} ${x%*a} ${x%%*a}
echo ${x/a/b} ${x//a/b} ${x/#a/b} ${x/%a/b} ${x/a} ${x//a/}
echo ${x/\//_} ${x//"/"/_}
echo ${x^} ${x^^} ${x,} ${x,,} ${x~} ${x~~} ${x^^[a-c]}
echo ${x@Q} ${x@U}
echo ${!x} ${!x*} ${!x@} ${!x[@]} ${!x[*]} ${!1} ${!#}
echo ${!x:-y}
echo ${x[0]} ${x[$i]} ${x[@]} "${x[*]}" ${x[a b]}
echo ${x[$(rm y)]}
echo ${x:-${y:-${z}}}
echo ${x:-{a,b}}
echo "${x:-}"
echo ${x:-"}"}
echo ${x:-'}'}
echo ${x:-\}}
echo ${x+"$@"}
echo ${#-x}
echo "${x-a "b" c}"
