#[path = "../tests/support/generator.rs"]
mod generator;
#[path = "../tests/support/random.rs"]
pub mod random;
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    for s in a[0]..a[1] {
        print!("{}\0", generator::script(0x5eed + s));
    }
}
