cat <<EOF
a $x $(b) `c`
EOF
cat <<'EOF'
a $x $(b)
EOF
cat <<"E F"
a $x
E F
cat <<\EOF
$x
EOF
cat <<-EOF
	a
		b
	EOF
c
cat <<EOF | b
a
EOF
c
cat <<A <<B
a
A
b
B
c
cat <<EOF > f
a
EOF
cat <<EOF; b
a
EOF
c
cat <<EOF && b
a
EOF
cat <<EOF
a
cat <<EOF
cat <<EOF
EOF
cat <<EOF
a\$b \\ \" \`
EOF
cat <<EOF
a\
EOF
b
EOF
cat <<EOF
'$x' "$y"
EOF
cat <<EOF
${x:-"a"} $((1+1))
EOF
bash <<EOF
rm x
EOF
a <<X |
1
X
b
if a <<X; then
1
X
b; fi
x=$(cat <<EOF
a
EOF
)
x=$(cat <<EOF
a
EOF)
x="$(cat <<'EOF'
it's "
EOF
)"
cat <<EOF "x
y"
a
EOF
cat << EOF
a
 EOF
EOF
cat <<$x
a
$x
cat <<''
a

b
while read x; do a; done <<EOF
1
EOF
b
f() { cat <<EOF; }
a
EOF
b
cat <<-'EOF'
	$a
	EOF
cat 0<<EOF
a
EOF
(cat <<EOF)
a
EOF
b
cat <<EOF
$(cat <<X
b
X
)
EOF
cat <<EOF # c
a
EOF
