cd x && FOO="$(git log -1 | head)" bash -c 'echo "${A:-b}" > out' <<EOF | tee a
text $X
EOF
for i in a b; do case $i in a) ;; *) echo $((1+2)) ;; esac; done; f() { :; } 2>&1 &
