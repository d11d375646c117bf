//! Libraries of others: loaded before a program's own, and in the place of the C library's name services.

use crate::{DENIED, HOOK, HOOKRAIL};
use hookrail_testkit::program::{Finished, inside, program};
use hookrail_testkit::project::TempProject;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Marks that it was loaded, and interposes what starting a command calls, each with a frame of several paths.
const PRELOADED: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define BIG char frame[4 * PATH_MAX]; memset(frame, 1, sizeof frame); __asm__ volatile("" : : "r"(frame) : "memory")
__attribute__((constructor)) static void loaded(void) { char *m = getenv("MARK"); if (m) close(creat(m, 0600)); }
int chdir(const char *p) { BIG; return ((int (*)(const char *))dlsym(RTLD_NEXT, "chdir"))(p); }
int execve(const char *p, char *const a[], char *const e[]) { BIG; return ((int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execve"))(p, a, e); }
int open(const char *p, int f, ...) { BIG; va_list l; va_start(l, f); int m = va_arg(l, int); va_end(l); return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(p, f, m); }
extern void *__libc_malloc(size_t);
void *malloc(size_t s) { BIG; return __libc_malloc(s); }
"#;

/// A module of the C library's name services that only marks that it was loaded.
const NAME_SERVICE: &str = r#"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void) { char *m = getenv("MARK"); if (m) close(creat(m, 0600)); }
"#;

/// A static program as most are: it looks up a host.
const LOOKUP: &str = r#"
#include <netdb.h>
int main(void) { struct addrinfo *a = 0; getaddrinfo("no-such-host.invalid", "80", 0, &a); return 0; }
"#;

fn compile(folder: &TempProject, name: &str, source: &str, options: &[&str]) -> PathBuf {
    folder.write(format!("{name}.c"), source);
    let made =
        Command::new("cc").args(options).arg("-o").arg(folder.at(name)).arg(folder.at(format!("{name}.c"))).output();
    let made = made.expect("cc");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    folder.at(name)
}

/// Libraries that are loaded before others: ours, and those of Debian that people have.
fn preloads(folder: &TempProject) -> Vec<PathBuf> {
    let own = compile(folder, "preloaded.so", PRELOADED, &["-shared", "-fPIC", "-O1"]);
    let others =
        ["libsnoopy.so", "fakechroot/libfakechroot.so"].map(|name| Path::new("/usr/lib/x86_64-linux-gnu").join(name));
    for missing in others.iter().filter(|path| !path.exists()) {
        eprintln!("NOT RUN: {} is not installed", missing.display());
    }
    std::iter::once(own).chain(others.into_iter().filter(|path| path.exists())).collect()
}

#[cfg(target_feature = "crt-static")]
#[test]
fn nothing_is_preloaded_into_either_program() {
    let libraries = TempProject::new();
    let mark = libraries.at("mark");
    for preload in preloads(&libraries) {
        let mut sure = Command::new("/bin/true");
        assert!(sure.env("LD_PRELOAD", &preload).env("MARK", &mark).status().unwrap().success());
        let is_ours = preload.ends_with("preloaded.so");
        assert_eq!(fs::remove_file(&mark).is_ok(), is_ours, "{}: a dynamic program loads it", preload.display());
        for (path, arguments) in [(HOOK, &[][..]), (HOOKRAIL, &["hook"]), (HOOKRAIL, &["list", "--json"])] {
            let (project, home) = (TempProject::new(), TempProject::new());
            let mut command = program(path, &project, &home);
            let answer =
                Finished::after(command.args(arguments).env("LD_PRELOAD", &preload).env("MARK", &mark), DENIED);
            assert_eq!(answer.code, Some(0), "{answer:?}");
            assert!(!mark.exists(), "{path} {arguments:?} loads {}", preload.display());
        }
    }
}

/// Commands of a static program run under a library that is loaded into them.
#[test]
fn commands_are_started_under_preloaded_libraries() {
    let libraries = TempProject::new();
    for preload in preloads(&libraries) {
        for (path, arguments) in [(HOOK, &[][..]), (HOOKRAIL, &["hook"])] {
            let (project, home) = (TempProject::new(), TempProject::new());
            let hook = "[[command]]\nname = \"no\"\nevent = \"BeforeTool\"\ncommand = \"echo the command says no >&2; exit 2\"\n";
            home.write(".config/hookrail/hookrail.toml", hook);
            let event = r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"x"}}"#;
            let mut command = program(path, &project, &home);
            let answer = Finished::after(command.args(arguments).env("LD_PRELOAD", &preload), event);
            assert!(answer.out.contains("the command says no"), "{}: {answer:?}", preload.display());
        }
    }
}

/// A program that embeds the engine, is linked as Rust links by default, and changes its environment meanwhile.
#[test]
fn a_dynamic_program_that_embeds_the_engine_starts_commands_under_preloaded_libraries() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embedder");
    fs::create_dir_all(package.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"embedder\"\nedition = \"2024\"\n[dependencies]\nhookrail-engine = {{ path = '{0}/crates/hookrail-engine' }}\nserde_json = \"1\"\n[workspace]\n",
        root.display()
    );
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    fs::write(package.join("src/main.rs"), include_str!("embedder.rs")).unwrap();
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline"])
        .current_dir(&package)
        .env("RUSTFLAGS", "-C target-feature=-crt-static")
        .env("CARGO_BUILD_TARGET", "host-tuple")
        .env("CARGO_TARGET_DIR", package.join("target"))
        .env("CARGO_BUILD_BUILD_DIR", package.join("target"))
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let program =
        fs::read_dir(package.join("target")).unwrap().map(|entry| entry.unwrap().path().join("debug/embedder"));
    let program = {
        let mut program = program;
        program.find(|path| path.is_file()).expect("the program")
    };
    let libraries = TempProject::new();
    for preload in preloads(&libraries) {
        let mark = libraries.at("mark");
        let ran = Command::new(&program).env("LD_PRELOAD", &preload).env("MARK", &mark).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert_eq!((ran.status.code(), said.trim()), (Some(0), "100 commands"), "{}: {ran:?}", preload.display());
        assert!(!preload.ends_with("preloaded.so") || mark.exists(), "the program is dynamic");
    }
}

/// In a name space of its own, the C library is told to ask a module that `LD_LIBRARY_PATH` leads to.
#[cfg(target_feature = "crt-static")]
#[test]
fn no_module_of_name_services_is_loaded_into_either_program() {
    let folder = TempProject::new();
    let lookup = compile(&folder, "lookup", LOOKUP, &["-static", "-w"]);
    for name in ["files", "dns", "hostile"] {
        compile(&folder, &format!("libnss_{name}.so.2"), NAME_SERVICE, &["-shared", "-fPIC"]);
    }
    folder.write("nsswitch.conf", "passwd: hostile\ngroup: hostile\nhosts: hostile\n");
    let mark = folder.at("mark");
    let attacked = |path: &Path, arguments: &[&str], stdin: &str, home: &TempProject| {
        let script =
            format!("mount --bind '{}' /etc/nsswitch.conf && exec \"$0\" \"$@\"", folder.at("nsswitch.conf").display());
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", &script]).arg(path).args(arguments);
        let mut command = inside(command, &TempProject::new(), home);
        // Without a home the usual way is to ask for the user's entry.
        command.current_dir("/").env_remove("HOME").env("LD_LIBRARY_PATH", folder.path()).env("MARK", &mark);
        (Finished::after(&mut command, stdin), fs::remove_file(&mark).is_ok())
    };
    let home = TempProject::new();
    if !attacked(&lookup, &[], "", &home).1 {
        eprintln!(
            "NOT RUN: name spaces are not to be had here, or this C library loads no modules into static programs"
        );
        return;
    }
    let question = json!({
        "recipient": { "Service": { "policy": { "allow_private": false, "allow_hosts": [] }, "url": "http://no-such-host.invalid/", "headers": [] } },
        "event": "{}",
        "timeout": { "secs": 5, "nanos": 0 },
    });
    for (path, arguments, stdin) in [
        (HOOK, &[][..], DENIED.to_owned()),
        (HOOKRAIL, &["hook"], DENIED.to_owned()),
        (HOOKRAIL, &["ask-model"], question.to_string()),
    ] {
        let (answer, was_loaded) = attacked(Path::new(path), arguments, &stdin, &home);
        assert_eq!(answer.code, Some(0), "{path} {arguments:?}: {answer:?}");
        assert!(!was_loaded, "{path} {arguments:?} loads a module");
        let expected = if arguments == ["ask-model"] { "no-such-host.invalid" } else { "permissionDecision" };
        assert!(answer.out.contains(expected), "{answer:?}");
    }
}
