//! `hookrail self version` with the real binary.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Command, Output};
use std::thread;

fn run(args: &[&str]) -> Output {
    let mut hookrail = Command::new(env!("CARGO_BIN_EXE_hookrail"));
    hookrail.args(["self", "version"]).args(args).env_clear().env("PATH", "/usr/bin:/bin").output().unwrap()
}

/// A server on loopback that gives one answer.
fn server(status: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/version.json", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
            .unwrap();
    });
    address
}

#[test]
fn it_tells_version_target_program_and_installation_without_a_network() {
    let output = run(&["--json"]);
    assert!(output.status.success(), "{output:?}");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["version"], env!("CARGO_PKG_VERSION"));
    assert!(told["target"].as_str().unwrap().matches('-').count() >= 2, "{told}");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_hookrail")).canonicalize().unwrap();
    assert_eq!(told["program"].as_str(), program.to_str());
    assert_eq!(told["installed_by"], "a build of the sources");
    assert!(told.get("latest").is_none(), "{told}");
    let text = String::from_utf8(run(&[]).stdout).unwrap();
    for wanted in [concat!("hookrail ", env!("CARGO_PKG_VERSION"), "\n"), "\ntarget ", "\nprogram ", "\ninstalled by "]
    {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
}

#[test]
fn a_check_compares_with_what_the_address_tells() {
    let cases = [
        ("200 OK", r#"{"version": "999.0.0"}"#, 3, "999.0.0 (newer; update the sources"),
        ("200 OK", concat!(r#"{"version": ""#, env!("CARGO_PKG_VERSION"), "\"}"), 0, "(up to date)"),
        ("200 OK", r#"{"version": "0.0.1"}"#, 0, "0.0.1 (up to date)"),
        ("200 OK", r#"{"version": "soon"}"#, 1, "`soon` is no version"),
        ("200 OK", "<html>", 1, "does not tell a version"),
        ("404 Not Found", "gone", 1, "status 404: gone"),
    ];
    for (status, body, code, wanted) in cases {
        let output = run(&["--check", "--url", &server(status, body)]);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{body}: {text}");
        assert!(text.contains(wanted), "{body}: {text}");
        assert!(text.contains(concat!("hookrail ", env!("CARGO_PKG_VERSION"))), "{body}: {text}");
    }
}

#[test]
fn without_a_network_a_check_tells_what_is_known_and_what_to_do() {
    // A port that was just free: there is no server behind it.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let output = run(&["--check", "--url", &format!("http://127.0.0.1:{port}/version.json")]);
    assert_eq!(output.status.code(), Some(1));
    let (told, error) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(told.contains("installed by"), "{told}");
    assert!(error.starts_with("error: cannot reach `http://127.0.0.1:") && error.contains("hint: "), "{error}");
}
