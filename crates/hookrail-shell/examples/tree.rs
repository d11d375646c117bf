#[path = "../tests/support/dump.rs"]
mod dump;
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    for line in text.lines().filter_map(|l| l.strip_prefix("$ ")) {
        let s = line.replace('⏎', "\n").replace('⇥', "\t");
        println!("$ {line}\n= {}\n", dump::dump(&hookrail_shell::parse(&s)));
    }
}
