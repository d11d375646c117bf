echo {a,b}
echo {a,b}{c,d}
echo a{b,c}d
echo {a,{b,c}}
echo {} {a} {a {,} {a,}
echo {1..3} {a..e} {1..10..2} {-1..1} {01..03}
echo {1..a} {1..} {..3}
echo {$a,"b c",$(d)}
echo \{a,b} {a\,b} "{a,b}" {"a,b"}
echo {{a,b}
echo {a,b}}
echo {a{b,c}}
x={a,b}
echo x={a,b}
echo a,b
echo ${x}{a,b}
rm -rf /{bin,etc}
echo {[a,b]}
{a,b}
{rm,-rf,x}
mv x.{a,b}
