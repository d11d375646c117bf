ls -la
   
 # only a comment
echo a # comment
echo a#b
echo a\ b
echo 'a b'"c d"e
echo "a\$b\`c\\d\"e\nf"
echo 'it'\''s'
echo $'a\tb\'c\x41\u00e9'
echo $'a\0b'
echo $'\101\e[0m\cA\q'
echo $"hello $USER"
echo "a
b"
echo a\
b
echo a \
  b
echo "a\
b"
echo 'a\
b'
r\m -rf x
r\
m x
"rm" x
r''m x
'r'"m" x
$'\x72m' x
$'\162\155' x
\rm x
echo ""
echo ''
echo a""b
echo \
echo "'" '"'
echo \# \; \& \|
echo a;b
echo a&b
echo é 漢字
echo $
echo $%
echo "$"
echo a$'b'c$"d"
echo "$'a'"
