a; b
a && b
a || b && c
a & b &
a;
a &
a
b
a &&
b
a ||
# c
b
a &\
& b
a; ; b
a && && b
&& a
a | | b
; a
a ;; b
a &| b
