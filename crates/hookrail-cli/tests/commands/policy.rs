//! `hookrail policy` with the real binary: packed, pulled from everywhere, gone back from.

use hookrail_testkit::project::TempProject;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output};

fn run(disk: &TempProject, args: &[&str]) -> Output {
    disk.command(env!("CARGO_BIN_EXE_hookrail")).arg("policy").args(args).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned()
}

fn done(disk: &TempProject, args: &[&str]) -> String {
    let output = run(disk, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output));
    text(&output)
}

fn refused(disk: &TempProject, args: &[&str], why: &str) {
    let output = run(disk, args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", text(&output));
    assert!(text(&output).contains(why), "{args:?}: {}", text(&output));
}

/// A folder with a key and a policy of serial 1 and 2, both packed.
fn author() -> TempProject {
    let disk = TempProject::new()
        .file("p/policy.toml", "name = \"acme\"\nserial = 1\nabout = \"Rules of Acme\"\n")
        .file("p/hookrail.toml", "[safety]\nlevel = \"strict\"\n");
    done(&disk, &["keygen", "team.key", "--no-password"]);
    done(&disk, &["pack", "p", "--key", "team.key"]);
    std::fs::write(disk.at("p/policy.toml"), "name = \"acme\"\nserial = 2\n").unwrap();
    std::fs::write(disk.at("p/hookrail.toml"), "[safety]\nlevel = \"balanced\"\n").unwrap();
    done(&disk, &["pack", "p", "--key", "team.key"]);
    disk
}

fn managed(disk: &TempProject) -> String {
    std::fs::read_to_string(disk.at("root/etc/hookrail/hookrail.toml")).unwrap_or_default()
}

#[test]
fn a_policy_goes_from_its_author_to_a_machine_and_back() {
    use std::os::unix::fs::PermissionsExt;
    let disk = author();
    assert_eq!(std::fs::metadata(disk.at("team.key")).unwrap().permissions().mode() & 0o777, 0o600);
    refused(&disk, &["keygen", "team.key", "--no-password"], "File exists");
    refused(&disk, &["keygen", "other.key"], "HOOKRAIL_POLICY_PASSWORD");
    refused(&disk, &["pull", "acme-1.json", "--root", "root"], "hint: name the key");
    done(&disk, &["pull", "acme-1.json", "--root", "root", "--key", "team.key.pub"]);
    assert!(managed(&disk).contains("strict"));
    assert!(done(&disk, &["pull", "acme-1.json", "--root", "root"]).contains("already"));
    done(&disk, &["pull", "acme-2.json", "--root", "root"]);
    refused(&disk, &["pull", "acme-1.json", "--root", "root"], "is older than 2");
    let status = done(&disk, &["status", "--root", "root"]);
    assert!(status.contains("policy acme 2 is in force") && status.contains("kept  1, 2"), "{status}");
    assert!(done(&disk, &["rollback", "--root", "root"]).contains("acme 1 is in force again"));
    assert!(managed(&disk).contains("strict"));
    std::fs::write(disk.at("root/etc/hookrail/hookrail.toml"), "").unwrap();
    let output = run(&disk, &["status", "--root", "root", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let status: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(status["state"], "altered");
}

#[test]
fn a_policy_with_mistakes_is_neither_packed_nor_installed() {
    let disk = author();
    std::fs::write(disk.at("p/hookrail.toml"), "[safety]\nlevel = \"very\"\n").unwrap();
    refused(&disk, &["pack", "p", "--key", "team.key"], "p/hookrail.toml:2");
    std::fs::write(disk.at("acme-1.json"), "{}").unwrap();
    refused(&disk, &["pull", "acme-1.json", "--root", "root", "--key", "team.key.pub"], "signature is not valid");
    assert!(!disk.exists("root/etc/hookrail/hookrail.toml"));
}

#[test]
fn a_policy_is_pulled_from_a_web_server() {
    let disk = author();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let folder = disk.path().to_owned();
    let server = std::thread::spawn(move || {
        for stream in listener.incoming().take(2) {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap();
            let path = String::from_utf8_lossy(&request[..length]).split(' ').nth(1).unwrap().to_owned();
            let body = std::fs::read(folder.join(path.trim_start_matches('/').trim_end_matches("?t=1"))).unwrap();
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len()).unwrap();
            stream.write_all(&body).unwrap();
        }
    });
    let url = format!("http://{address}/acme-1.json?t=1");
    done(&disk, &["pull", &url, "--root", "root", "--key", "team.key.pub"]);
    server.join().unwrap();
    assert!(managed(&disk).contains("strict"));
    refused(&disk, &["pull", &format!("http://{address}/gone.json"), "--root", "root"], "cannot reach");
}

#[test]
fn a_policy_is_pulled_from_a_git_repository() {
    let disk = author();
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
        let status = Command::new("git").current_dir(disk.at("repo")).args(identity).args(args).status().unwrap();
        assert!(status.success(), "{args:?}");
    };
    std::fs::create_dir_all(disk.at("repo/more")).unwrap();
    for name in ["acme-1.json", "acme-1.json.minisig"] {
        std::fs::copy(disk.at(name), disk.at(format!("repo/{name}"))).unwrap();
        let name = name.replace('1', "2");
        std::fs::copy(disk.at(&name), disk.at(format!("repo/more/{name}"))).unwrap();
    }
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "policy"]);
    let url = format!("git+file://{}", disk.at("repo").display());
    done(&disk, &["pull", &url, "--root", "root", "--key", "team.key.pub"]);
    assert!(managed(&disk).contains("strict"));
    done(&disk, &["pull", &format!("{url}#more/acme-2.json"), "--root", "root"]);
    assert!(managed(&disk).contains("balanced"));
    refused(&disk, &["pull", &format!("{url}#../acme-2.json"), "--root", "root"], "not a path inside");
    refused(&disk, &["pull", "git+file:///gone", "--root", "root"], "git cannot clone");
}
