f() { a; }
f () ( a )
f()
{ a; }
function f { a; }
function f() { a; }
function f ( a )
f() { a; } > b
f() if a; then b; fi
f() { a; }; f
a-b() { c; }
f() { g() { a; }; }
coproc a b
coproc X { a; }
coproc { a; }
coproc while a; do b; done
f() [[ a ]]
f() (( 1 ))
