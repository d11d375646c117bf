echo $(ls)
echo "$(ls "a b")"
echo $(echo $(echo $(echo x)))
echo `ls`
echo `echo \`echo x\``
echo `echo \\\`echo\\\``
echo "`echo \"a b\"`"
echo `echo \$HOME '\$x'`
echo $(<file)
$(echo rm) x
`echo rm` x
echo $( # comment )
ls)
echo $(case x in a) b;; esac)
echo $(case x in (a) b;; esac)
echo $(echo ')' ")" \))
x=$(ls) y=`pwd`
echo "$(echo "$(echo "x")")"
echo $(ls; rm x) $(a && b || c)
echo ${ ls; } ${| REPLY=x; }
echo "${ pwd;}"
echo a$(b)c`d`e
echo $()
echo $(

)
echo $\
(ls)
echo "$\
{x}"
