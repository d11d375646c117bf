a 1<(b)
echo $(cat <<EOF)
a
EOF
b
cat <<EOF; echo $(a
b)
c
EOF
d
cat <<EOF; echo `a
b`
c
EOF
d
cat <<EOF; [[ a &&
c
EOF
b ]] && d
echo "${x:-`echo \"a\"`}"
[[ -n <(a) ]]
echo $(( '1' + "2" ))
$(( $'it\'s') || for ((;;)); do a; done ))
! ! z[1]={a c0 $(b)
a | { b; } | ( c )
