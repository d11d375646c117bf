fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = a[2].repeat(a[3].parse().unwrap());
    let n: usize = a[1].parse().unwrap();
    std::thread::Builder::new().stack_size(n * 1024).spawn(move || { let (s, st) = hookrail_shell::parse_counted(&t); println!("{st} {}", s.items.len()); }).unwrap().join().unwrap();
}
