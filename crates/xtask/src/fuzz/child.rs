//! The process that tries inputs, and its parent's side.

use super::targets::{Target, silence_panics};
use super::{corpus, mutation, options};
use crate::{Outcome, TaskError};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How much an input may cost.
const MAX_MEMORY: u64 = 256 << 20;
const MAX_COMPUTING: Duration = Duration::from_secs(1);
/// A process that computes nothing for so long waits for something that will not come.
const MAX_WAITING: Duration = Duration::from_secs(15);
/// The exit code of a child that was too slow. The others are those of any program.
const TOO_SLOW: i32 = 97;
const CURRENT: &str = "current";

/// What a child is to do, in one argument.
pub struct Order {
    target: String,
    seed: u64,
    millis: u64,
    folder: PathBuf,
    work: Work,
}

enum Work {
    /// The inputs of the corpus first, then changed ones.
    All,
    Changed,
    One(PathBuf),
}

impl Order {
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(5, '\u{1f}');
        let mut next = || parts.next();
        let (target, seed, millis) = (next()?.to_owned(), next()?.parse().ok()?, next()?.parse().ok()?);
        let folder = PathBuf::from(next()?);
        let work = match next()? {
            "all" => Work::All,
            "changed" => Work::Changed,
            file => Work::One(PathBuf::from(file)),
        };
        Some(Self { target, seed, millis, folder, work })
    }

    fn print(&self) -> String {
        let work = match &self.work {
            Work::All => "all".to_owned(),
            Work::Changed => "changed".to_owned(),
            Work::One(file) => file.display().to_string(),
        };
        let Self { target, seed, millis, folder, .. } = self;
        [target.clone(), seed.to_string(), millis.to_string(), folder.display().to_string(), work].join("\u{1f}")
    }
}

/// How a child ended.
#[derive(Debug, PartialEq, Eq)]
pub enum ChildEnd {
    Done,
    Slow,
    /// An input took too long that does not when it is tried again: the machine did.
    Delayed,
    Crashed(String),
}

/// What a child did.
pub struct Report {
    pub ending: ChildEnd,
    pub tried: u64,
    /// The longest that an input took.
    pub slowest: Duration,
    pub panics: Vec<(Vec<u8>, String)>,
    /// The input it tried last.
    pub current: Vec<u8>,
}

pub fn run(target: &Target, seed: u64, time: Duration, folder: &Path, with_corpus: bool) -> Result<Report, TaskError> {
    let work = if with_corpus { Work::All } else { Work::Changed };
    let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let mut report = start(&Order { target: target.name.to_owned(), seed, millis, folder: folder.to_owned(), work })?;
    if report.ending == ChildEnd::Slow && !is_slow_again(target, &report.current, folder)? {
        report.ending = ChildEnd::Delayed;
    }
    Ok(report)
}

/// Whether an input is slow by itself. A machine that stands still for a moment makes any of them slow, once.
fn is_slow_again(target: &Target, input: &[u8], folder: &Path) -> Result<bool, TaskError> {
    let file = folder.join("slow");
    fs::write(&file, input)?;
    for _ in 0..2 {
        if run_one(target, &file, folder)?.ending != ChildEnd::Slow {
            return Ok(false);
        }
    }
    Ok(true)
}

pub fn run_one(target: &Target, file: &Path, folder: &Path) -> Result<Report, TaskError> {
    let work = Work::One(file.to_owned());
    start(&Order { target: target.name.to_owned(), seed: 0, millis: 0, folder: folder.to_owned(), work })
}

fn start(order: &Order) -> Result<Report, TaskError> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["fuzz", "--child", &order.print()])
        // The C library sets memory aside for every thread, so that how much there is would depend on how many run at a time.
        .env("MALLOC_ARENA_MAX", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (mut tried, mut slowest, mut panics) = (0, Duration::ZERO, Vec::new());
    for line in child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let line = line?;
        match line.split_once(' ') {
            Some(("tried", count)) => tried = count.parse().unwrap_or(tried),
            Some(("slowest", millis)) => slowest = Duration::from_millis(millis.parse().unwrap_or_default()),
            Some(("panic", rest)) => {
                let (file, message) = rest.split_once(' ').unwrap_or((rest, ""));
                panics.push((fs::read(order.folder.join(file))?, message.to_owned()));
            }
            _ => {}
        }
    }
    let status = child.wait()?;
    let ending = match status.code() {
        Some(0) => ChildEnd::Done,
        Some(TOO_SLOW) => ChildEnd::Slow,
        _ => ChildEnd::Crashed(status.to_string()),
    };
    let current = fs::read(order.folder.join(CURRENT)).unwrap_or_default();
    Ok(Report { ending, tried, slowest, panics, current })
}

/// Which input is being tried, for the clock.
static TRIED: AtomicU64 = AtomicU64::new(0);

/// The child's side.
pub fn work(order: &Order, out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let target = options::find(&order.target)?;
    let seeds = corpus::seeds(target);
    silence_panics();
    std::thread::spawn(watch);
    limit_memory();
    let mut trial = FuzzTrial { target, folder: &order.folder, panics: 0, slowest: Duration::ZERO, out };
    if let Work::One(file) = &order.work {
        trial.run(&fs::read(file)?)?;
        return trial.finish();
    }
    if let Work::All = order.work {
        for (_, input) in corpus::cases(target) {
            trial.run(&input)?;
        }
    }
    let mut dice = mutation::Randomness::new(order.seed);
    let end = Instant::now() + Duration::from_millis(order.millis);
    while Instant::now() < end && trial.panics < super::MAX_FINDINGS {
        trial.run(&mutation::mutate(&mut dice, &seeds))?;
    }
    trial.finish()
}

struct FuzzTrial<'a> {
    target: &'a Target,
    folder: &'a Path,
    panics: usize,
    slowest: Duration,
    out: &'a mut dyn Write,
}

impl FuzzTrial<'_> {
    fn run(&mut self, input: &[u8]) -> Result<(), TaskError> {
        fs::write(self.folder.join(CURRENT), input)?;
        let tried = TRIED.fetch_add(1, Ordering::SeqCst) + 1;
        let started = Instant::now();
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (self.target.run)(input))) {
            self.panics += 1;
            let name = format!("panic-{}", self.panics);
            fs::write(self.folder.join(&name), input)?;
            writeln!(self.out, "panic {name} {}", message(panic.as_ref()))?;
        }
        if started.elapsed() > self.slowest {
            self.slowest = started.elapsed();
            fs::write(self.folder.join("slowest"), input)?;
        }
        if tried.is_multiple_of(256) {
            writeln!(self.out, "tried {tried}")?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Outcome, TaskError> {
        writeln!(self.out, "tried {}\nslowest {}", TRIED.load(Ordering::SeqCst), self.slowest.as_millis())?;
        Ok(Outcome::Passed)
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}

/// Ends the process if one input takes too long: by the time it computes, because other programs may keep it waiting.
#[expect(clippy::disallowed_methods, reason = "the thread that should return is the one that hangs")]
fn watch() {
    let (mut trial, mut since, mut computed) = (u64::MAX, Instant::now(), computing());
    loop {
        std::thread::sleep(Duration::from_millis(20));
        let now = TRIED.load(Ordering::SeqCst);
        if now != trial {
            (trial, since, computed) = (now, Instant::now(), computing());
        } else if now > 0 && (computing().saturating_sub(computed) > MAX_COMPUTING || since.elapsed() > MAX_WAITING) {
            std::process::exit(TOO_SLOW);
        }
    }
}

/// How long this process has computed.
fn computing() -> Duration {
    // User and system time are the 14th and 15th field, in hundredths of a second; the second may hold blanks.
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(") ").map(|(_, fields)| fields).unwrap_or_default();
    let ticks: u64 = fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Lets the process have so much memory more than it has now.
fn limit_memory() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let now = pages.split(' ').next().and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(1 << 20) * 4096;
        let limit = Some(now + MAX_MEMORY);
        // Where it cannot be limited, inputs are tried without.
        let _ = setrlimit(Resource::As, Rlimit { current: limit, maximum: limit });
    }
}
