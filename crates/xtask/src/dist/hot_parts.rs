//! Which functions, constants and variables answering an event uses, for the linker to put them together. A list that is out of date
//! would cost speed, nothing else.

use super::arrangement::{FIRST, Part, WINDOW, arrange, windows};
use super::build::Order;
use super::sample_events::{SampleEvent, SampleFolder};
use crate::TaskError;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// What a process runs through that valgrind does not see: a command begins in a way that valgrind does not know.
const BEYOND_VALGRIND: [&str; 8] = [
    "__setpgid",
    "__dup2",
    "__chdir",
    "__libc_sigaction",
    "__sigprocmask",
    "__pthread_sigmask",
    "__execve",
    "__sched_yield",
];
/// Parts of the names of such functions that are ours.
const OURS_BEYOND_VALGRIND: [&str; 2] = ["13shared_memory", "9processor5linux"];
/// Parts of the names of functions that start a command only where that way is not known.
const INSTEAD_UNDER_VALGRIND: [&str; 2] = ["3sys7process4unix", "posix_spawn"];

/// What sample events use, in the order of the first use. `map` is what the linker said of this binary.
pub fn find(binary: &Path, map: &Path, out: &mut dyn Write) -> Result<Order, TaskError> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        let hint = "install valgrind, or leave the order to the linker with `--unordered`";
        return Err(io::Error::other(format!("valgrind is not installed\nhint: {hint}")).into());
    }
    let known = symbols(binary)?;
    let sizes: HashMap<&str, u64> = known.iter().map(|symbol| (symbol.name.as_str(), symbol.size)).collect();
    let variables = Variables::read(&known);
    let map = std::fs::read_to_string(map)?;
    let (all_constants, all_values) = (Sections::read(&map, ".rodata"), Sections::read(&map, ".data"));
    let ground = SampleFolder::prepare()?;
    let (mut functions, mut constants) = (Uses::default(), Uses::default());
    let (mut written, mut values) = (Uses::default(), Uses::default());
    for (number, event) in ground.events().iter().enumerate() {
        writeln!(out, "following {} …", event.about)?;
        let run = functions_of(binary, &ground, event)?;
        let run = run.iter().filter(|name| !INSTEAD_UNDER_VALGRIND.iter().any(|part| name.contains(part)));
        run.flat_map(|name| with_variants(name, &known)).for_each(|name| functions.add(name, number));
        if event.starts_commands() {
            beyond_valgrind(&known).for_each(|name| functions.add(name, number));
        }
        for address in addresses_of(binary, &ground, event)? {
            all_constants.at(address).into_iter().for_each(|name| constants.add(&name, number));
            variables.at(address).into_iter().for_each(|name| written.add(name, number));
            let value = all_values.at(address).filter(|name| all_values.size(name) <= LARGE_VARIABLE);
            value.into_iter().for_each(|name| values.add(&name, number));
        }
    }
    let mut written: Vec<&str> = written.in_order().collect();
    written.sort_by_key(|name| variables.is_large(name));
    let constants = arrange(constants.parts(|name| all_constants.size(name)), 0);
    let start = constants.iter().map(|part| part.size).sum();
    let functions = arrange(functions.parts(|name| sizes.get(name).copied().unwrap_or_default()), start);
    let size = start + functions.iter().map(|part| part.size).sum::<u64>();
    writeln!(out, "events use {} KiB of the binary, in pieces of {} KiB:", size >> 10, WINDOW >> 10)?;
    for (number, event) in ground.events().iter().enumerate() {
        let pieces =
            [(&constants, 0), (&functions, start)].map(|(parts, start)| windows(parts, start, FIRST >> number));
        writeln!(out, "{:3} {}", pieces.iter().sum::<u32>(), event.about)?;
    }
    let names = functions.iter().map(|part| part.name.as_str()).chain(written);
    let constants = constants.iter().map(|part| part.name.as_str());
    Ok(Order {
        names: names.map(|name| format!("{name}\n")).collect(),
        sections: script(&lines(constants), &lines(values.of_first())),
    })
}

fn beyond_valgrind(known: &[Symbol]) -> impl Iterator<Item = &str> {
    let is_ours = |name: &&str| OURS_BEYOND_VALGRIND.iter().any(|part| name.contains(part));
    BEYOND_VALGRIND.into_iter().chain(known.iter().map(|symbol| symbol.name.as_str()).filter(is_ours))
}

/// Which events use what.
#[derive(Default)]
struct Uses {
    /// In the order of the first use, each with a bit for every event, that of the first one highest.
    parts: Vec<(String, u64)>,
    places: HashMap<String, usize>,
}

impl Uses {
    fn add(&mut self, name: &str, event: usize) {
        let place = *self.places.entry(name.to_owned()).or_insert(self.parts.len());
        if place == self.parts.len() {
            self.parts.push((name.to_owned(), 0));
        }
        if let Some((_, events)) = self.parts.get_mut(place) {
            *events |= FIRST >> event;
        }
    }

    /// What the commonest event uses comes first, then what many events use; what the same events use stands together. So each
    /// event touches few pages that it does not need.
    fn in_order(&self) -> impl Iterator<Item = &str> {
        let mut parts: Vec<&(String, u64)> = self.parts.iter().collect();
        parts.sort_by_key(|(_, events)| (events & FIRST == 0, Reverse(events.count_ones()), Reverse(*events)));
        parts.into_iter().map(|(name, _)| name.as_str())
    }

    /// What the first event uses, in the order of the first use.
    fn of_first(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter(|(_, events)| events & FIRST != 0).map(|(name, _)| name.as_str())
    }

    /// In the order of the first use.
    fn parts(&self, size_of: impl Fn(&str) -> u64) -> Vec<Part> {
        let part = |(name, events): &(String, u64)| Part { name: name.clone(), size: size_of(name), events: *events };
        self.parts.iter().map(part).collect()
    }
}

/// What `quick_start.rs` of the binary asks memory for begins here. Without an order, that are the variables without a value at first.
pub const VARIABLES_START: &str = "hookrail_variables_start";

/// The script of a binary that has no order.
pub fn script_without_order() -> String {
    format!("{VARIABLES_START} = __bss_start;\n")
}

fn lines<'n>(selectors: impl Iterator<Item = &'n str>) -> String {
    selectors.flat_map(|selector| [selector, "\n"]).collect()
}

/// A page of the usual kind.
const PAGE: u64 = 4096;

/// A page of the largest kind: what is aligned like this in file and memory can be mapped at once.
const HUGE_PAGE: u64 = 2 << 20;

/// Puts constants and, behind them, functions where a huge page begins. With the first bytes of the file lies what runs before
/// `quick_start.rs` has asked for huge pages, because the first look at a page decides how those around it are kept; between them, what
/// is only needed for panics, and then the other constants. What is needed for panics begins with what every start looks at once.
/// Numbers that the linker merges are few, and nobody knows whose they are: they all lie with the constants of events.
///
/// What has a value at first and is used by every event lies right before what has none, in a page with the first of these: addresses,
/// functions that run at the start, variables, and those of threads. It begins with `hookrail_variables_start`.
fn script(constants: &str, values: &str) -> String {
    // What is taken first is not taken again.
    format!(
        "SECTIONS {{ .got : ALIGN({PAGE:#x}) {{ {VARIABLES_START} = .; *(.got.plt) *(.got) }}\n\
         .init_array : {{ KEEP(*(SORT_BY_INIT_PRIORITY(.init_array.*))) KEEP(*(.init_array)) }}\n\
         .tdata : {{ *(.tdata .tdata.*) }} .tbss : {{ *(.tbss .tbss.*) }}\n\
         .data.hot : {{\n{values}}} }} INSERT BEFORE .bss;\n\
         SECTIONS {{ .rodata.hot : ALIGN({HUGE_PAGE:#x}) {{\n*(.rodata.cst*)\n{constants}}}\n\
         .init : {{ KEEP(*(.init)) }} .iplt : {{ *(.iplt) }} }} INSERT BEFORE .text;\n\
         SECTIONS {{ .start : {{ *crt1.o(.text) *crtbegin*.o(.text) *(.text.start) }} }} INSERT AFTER .rela.dyn;\n\
         SECTIONS {{ .eh_frame_hdr : {{ *(.eh_frame_hdr) }} .gcc_except_table : {{ *(.gcc_except_table .gcc_except_table.*) }}\n\
         .rodata : {{ *(.rodata .rodata.*) }} }} INSERT AFTER .eh_frame;\n"
    )
}

/// Which section of a kind lies where, and how the linker is told of it.
struct Sections(Vec<(u64, u64, String)>);

impl Sections {
    /// Lines of the map are `address load-address size alignment file:(section)`, with three numbers in hexadecimal. Names of the
    /// sections begin with that of their kind.
    fn read(map: &str, kind: &str) -> Self {
        let section = |line: &str| {
            let mut words = line.split_whitespace();
            let number = |word: Option<&str>| u64::from_str_radix(word?, 16).ok();
            let (start, size) = (number(words.next())?, number(words.nth(1))?);
            let (file, name) = words.nth(1)?.strip_suffix(')')?.split_once(":(")?;
            Some((start, start + size, selector(file, name, kind)?))
        };
        let mut all: Vec<_> = map.lines().filter_map(section).collect();
        all.sort_unstable();
        Self(all)
    }

    fn at(&self, address: u64) -> Option<String> {
        let behind = self.0.partition_point(|(start, ..)| *start <= address);
        let (_, end, selector) = self.0.get(behind.checked_sub(1)?)?;
        (address < *end).then(|| selector.clone())
    }

    fn size(&self, wanted: &str) -> u64 {
        self.0.iter().filter(|(.., selector)| selector == wanted).map(|(start, end, _)| end - start).sum()
    }
}

/// How a script of the linker names a section of this kind. What is of the C library has no sections of its own, but files. What the
/// linker merges of all files stays where it is.
fn selector(file: &str, section: &str, kind: &str) -> Option<String> {
    let stays = [".rodata.str", ".rodata.cst"];
    match section.strip_prefix(kind)? {
        _ if file == "<internal>" || stays.iter().any(|name| section.starts_with(name)) => None,
        "" | ".rel" | ".rel.local" | ".rel.ro" | ".rel.ro.local" => {
            let (archive, member) = file.rsplit('/').next()?.strip_suffix(')')?.split_once('(')?;
            Some(format!("*{archive}:{member}({section})"))
        }
        _ => Some(format!("*(\"{section}\")")),
    }
}

/// Which variable lies where. Each page of them that a process touches is copied or cleared for it.
struct Variables<'s>(Vec<&'s Symbol>);

/// Behind a larger one, the next one would be in another page.
const LARGE_VARIABLE: u64 = 4096;

impl<'s> Variables<'s> {
    fn read(symbols: &'s [Symbol]) -> Self {
        let is_variable = |symbol: &&Symbol| matches!(symbol.kind, 'b' | 'B' | 'd' | 'D') && symbol.size > 0;
        let mut all: Vec<&Symbol> = symbols.iter().filter(is_variable).collect();
        all.sort_unstable_by_key(|symbol| symbol.start);
        Self(all)
    }

    fn at(&self, address: u64) -> Option<&'s str> {
        let behind = self.0.partition_point(|symbol| symbol.start <= address);
        let symbol = self.0.get(behind.checked_sub(1)?)?;
        (address < symbol.start + symbol.size).then_some(&symbol.name)
    }

    fn is_large(&self, name: &str) -> bool {
        self.0.iter().any(|symbol| symbol.name == name && symbol.size > LARGE_VARIABLE)
    }
}

/// The functions one event runs through, in the order of their first use.
fn functions_of(binary: &Path, ground: &SampleFolder, event: &SampleEvent) -> io::Result<Vec<String>> {
    // Once without being watched: the first event of all prepares the state directory and the configuration's cache.
    follow(&[], binary, ground, event, 1)?;
    let report = ground.path("callgrind");
    let flags = ["--tool=callgrind", "--demangle=no", &format!("--callgrind-out-file={}", report.display())];
    follow(&flags, binary, ground, event, 2)?;
    Ok(parse(&std::fs::read_to_string(&report)?))
}

/// The addresses one event reads from or writes to, each once, in the order of the first use.
fn addresses_of(binary: &Path, ground: &SampleFolder, event: &SampleEvent) -> io::Result<Vec<u64>> {
    let report = ground.path("lackey");
    let flags = ["--tool=lackey", "--trace-mem=yes", &format!("--log-file={}", report.display())];
    follow(&flags, binary, ground, event, 3)?;
    let (mut seen, mut addresses) = (HashSet::new(), Vec::new());
    for line in BufReader::new(File::open(&report)?).lines() {
        // ` L 0045f2a0,8`, or `S` or `M` for what is written; instructions have no blank before their letter.
        let line = line?;
        let address = [" L ", " S ", " M "].iter().find_map(|kind| line.strip_prefix(kind));
        let address = address.and_then(|rest| u64::from_str_radix(rest.split_once(',')?.0, 16).ok());
        addresses.extend(address.filter(|address| seen.insert(*address)));
    }
    Ok(addresses)
}

/// Answers an event, watched by valgrind if there are flags for it.
fn follow(flags: &[&str], binary: &Path, ground: &SampleFolder, event: &SampleEvent, round: u32) -> io::Result<()> {
    let input = ground.path("event.json");
    std::fs::write(&input, ground.payload(event, round))?;
    let mut command = if flags.is_empty() { Command::new(binary) } else { Command::new("valgrind") };
    if !flags.is_empty() {
        command.args(flags).arg(binary);
    }
    command.env_remove("XDG_CONFIG_HOME").envs(ground.user(event)).env("HOOKRAIL_STATE_DIR", ground.path("state"));
    succeed(command.args(event.arguments).stdin(File::open(&input)?))
}

/// Callgrind writes a function's name where it first meets it: `fn=(12) name`, or `cfn=` for one that is called.
fn parse(report: &str) -> Vec<String> {
    let name = |line: &str| {
        let (kind, rest) = line.split_once("=(")?;
        let (_, name) = rest.split_once(") ")?;
        // `'2` is the second level of a recursion.
        let name = name.split('\'').next().unwrap_or(name);
        matches!(kind, "fn" | "cfn").then(|| name.to_owned())
    };
    report.lines().filter_map(name).collect()
}

/// A name the binary has for a piece of itself.
struct Symbol {
    start: u64,
    size: u64,
    /// As `nm` has it: `b` is a variable that is zero at first, `d` another one, `t` a function.
    kind: char,
    name: String,
}

/// Lines of `nm` are `address size kind name`, with two numbers in hexadecimal; what has no size is left out there.
fn symbols(binary: &Path) -> io::Result<Vec<Symbol>> {
    let output = Command::new("nm").args(["--defined-only", "--print-size"]).arg(binary).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(symbol).collect())
}

fn symbol(line: &str) -> Option<Symbol> {
    let number = |word: &str| u64::from_str_radix(word, 16).ok();
    let words: Vec<&str> = line.split_whitespace().collect();
    let (start, size, kind, name) = match words.as_slice() {
        [start, size, kind, name] => (number(start)?, number(size)?, kind, name),
        [start, kind, name] => (number(start)?, 0, kind, name),
        _ => return None,
    };
    Some(Symbol { start, size, kind: kind.chars().next()?, name: (*name).to_owned() })
}

/// The C library has a `memmove` for each kind of processor and takes the best where it runs, which need not be the one
/// valgrind knows: all of them are wanted.
fn with_variants<'a>(name: &'a str, known: &'a [Symbol]) -> Vec<&'a str> {
    let kinds = ["_sse2", "_sse42", "_ssse3", "_avx", "_evex"];
    match kinds.iter().find_map(|kind| name.split_once(kind)) {
        Some((stem, _)) if stem.starts_with("__") => {
            let is_variant = |other: &&str| {
                other.strip_prefix(stem).is_some_and(|rest| kinds.iter().any(|kind| rest.starts_with(kind)))
            };
            known.iter().map(|symbol| symbol.name.as_str()).filter(is_variant).collect()
        }
        _ => vec![name],
    }
}

/// Runs a command whose output is not needed.
fn succeed(command: &mut Command) -> io::Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.stdout(Stdio::null()).stderr(Stdio::piped()).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(io::Error::other(format!("`{program}` ended with {}\n{why}", output.status)))
        }
        Err(error) => Err(io::Error::other(format!("`{program}` cannot be run: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_where_callgrind_first_writes_them() {
        let report = "fn=(1) main\n0 1\ncfn=(2) _ZN3foo17h00E\ncalls=1 0\nfn=(2)\nfn=(3) walk'2\nfl=(4) x.rs\n";
        assert_eq!(parse(report), ["main", "_ZN3foo17h00E", "walk"]);
    }

    #[test]
    fn what_the_same_events_use_stands_together() {
        let mut uses = Uses::default();
        for (name, event) in [("a", 0), ("b", 0), ("c", 1), ("d", 1), ("b", 1), ("e", 2), ("c", 2), ("f", 1), ("f", 2)]
        {
            uses.add(name, event);
        }
        assert_eq!(uses.in_order().collect::<Vec<_>>(), ["b", "a", "c", "f", "d", "e"]);
        assert_eq!(uses.of_first().collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn a_section_is_known_by_the_addresses_in_it() {
        let map = "     VMA      LMA     Size Align Out     In      Symbol\n\
            201540   201540    24b94    32 .rodata\n\
            201540   201540      360    16         <internal>:(.rodata.cst16)\n\
            2018a0   2018a0       20     8         a.o:(.rodata..Lanon.12.4)\n\
            2018a0   2018a0        0     1                 a_symbol\n\
            2018d0   2018d0       10     8         a.o:(.rodata._RNvMs_3fmt)\n\
            2018e0   2018e0       10     8         /usr/lib/../libc.a(strncmp-sse2.o):(.rodata)\n\
            2018f0   2018f0       10     8         crt1.o:(.rodata)\n\
            238e00   238e00       31    16         crt1.o:(.text)\n";
        let constants = Sections::read(map, ".rodata");
        for (address, expected) in [
            (0x20_1540, None),
            (0x20_18a0, Some("*(\".rodata..Lanon.12.4\")")),
            (0x20_18bf, Some("*(\".rodata..Lanon.12.4\")")),
            (0x20_18c0, None),
            (0x20_18d8, Some("*(\".rodata._RNvMs_3fmt\")")),
            (0x20_18e0, Some("*libc.a:strncmp-sse2.o(.rodata)")),
            (0x20_18f0, None),
            (0x23_8e00, None),
            (0x10, None),
        ] {
            assert_eq!(constants.at(address).as_deref(), expected, "{address:x}");
        }
        assert_eq!(constants.size("*(\".rodata..Lanon.12.4\")"), 0x20);
        let map = "10dc700  10dc700       40     8         libc.a(dl-support.o):(.data.rel.ro)\n\
            10e1480  10e1480       d0    32         libc.a(dl-support.o):(.data)\n\
            10e1560  10e1560      588    32         libc.a(dl-support.o):(.data.rel.local)\n\
            10e2000  10e2000      308     8         libc.a(C-ctype.o):(.data.rel.ro.local)\n\
            10e25c8  10e25c8       28     8         a.o:(.data._ZN4LAST17hc3E)\n";
        let values = Sections::read(map, ".data");
        for (address, expected) in [
            (0x10d_c700, Some("*libc.a:dl-support.o(.data.rel.ro)")),
            (0x10e_1480, Some("*libc.a:dl-support.o(.data)")),
            (0x10e_1560, Some("*libc.a:dl-support.o(.data.rel.local)")),
            (0x10e_2000, Some("*libc.a:C-ctype.o(.data.rel.ro.local)")),
            (0x10e_25c8, Some("*(\".data._ZN4LAST17hc3E\")")),
        ] {
            assert_eq!(values.at(address).as_deref(), expected, "{address:x}");
        }
    }

    #[test]
    fn a_variable_is_known_by_its_address_and_large_ones_are_known_too() {
        let lines = [
            "1888f00 8 B owner",
            "1089d00 700000 b piece",
            "1088c00 00 d none",
            "401000 20 t function",
            "10 4 b a b c",
        ];
        let symbols: Vec<Symbol> = lines.iter().filter_map(|line| symbol(line)).collect();
        let variables = Variables::read(&symbols);
        for (address, expected) in [
            (0x0188_8f00, Some("owner")),
            (0x0188_8f07, Some("owner")),
            (0x0188_8f08, None),
            (0x0108_9d00, Some("piece")),
            (0x0178_9cff, Some("piece")),
            (0x0178_9d00, None),
            (0x0108_8c00, None),
            (0x40_1000, None),
        ] {
            assert_eq!(variables.at(address), expected, "{address:x}");
        }
        assert_eq!(["owner", "piece"].map(|name| variables.is_large(name)), [false, true]);
    }

    #[test]
    fn a_function_for_one_kind_of_processor_brings_its_siblings() {
        let known = ["__memmove_avx_unaligned", "__memmove_evex", "__memset_evex", "memmove"];
        let known = known.map(|name| symbol(&format!("401000 10 T {name}")).unwrap());
        for (name, expected) in [
            ("__memmove_avx_unaligned", vec!["__memmove_avx_unaligned", "__memmove_evex"]),
            ("memmove", vec!["memmove"]),
            ("_ZN6detect8has_avx217h00E", vec!["_ZN6detect8has_avx217h00E"]),
        ] {
            assert_eq!(with_variants(name, &known), expected, "{name}");
        }
    }
}
