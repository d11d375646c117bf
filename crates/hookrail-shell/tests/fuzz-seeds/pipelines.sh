a | b | c
a |& b
a |
b
a |

# x
b
! a | b
! ! a
time a | b
time -p a
time ! a
! time a
time
time { a; }
a | time b
a || b | c && d
!(a)
a |
