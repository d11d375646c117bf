//! Where HTTP hooks may not go.

use crate::asking::scene::{HANG, POLICIES, decision, http_hook, run, session};
use crate::asking::service::Service;
use hookrail_core::{Decision, Failure, HookEntry};
use hookrail_engine::HttpPolicy;
use std::process::Command;

fn policy(allow_private: bool, allow_hosts: &[&str]) -> HttpPolicy {
    HttpPolicy { allow_private, allow_hosts: allow_hosts.iter().map(|&host| host.to_owned()).collect() }
}

/// The text with which a hook of this address is refused.
#[track_caller]
fn refusal(url: &str, policy: HttpPolicy) -> String {
    let hook = HookEntry { timeout: HANG, ..http_hook(url, &[]) };
    let run = run(session([hook]).http_policy(policy));
    match run.failure() {
        Some(Failure::NotStarted(why)) => why.clone(),
        other => panic!("{url}: {other:?} {:?}", run.output),
    }
}

#[test]
fn no_way_of_writing_a_private_address_gets_through() {
    let service = Service::answering("200 OK", &[], r#"{"decision": "allow"}"#);
    let port = service.address.port();
    for (host, address) in [
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "a loopback address"),
        ("LOCALHOST", "a loopback address"),
        ("127.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("127.8.9.10", "127.8.9.10"),
        ("0.0.0.0", "an unspecified address"),
        ("0", "an unspecified address"),
        ("[::]", "an unspecified address"),
        ("[::1]", "a loopback address"),
        ("[0:0:0:0:0:0:0:1]", "a loopback address"),
        ("[::ffff:127.0.0.1]", "a loopback address"),
        ("[::ffff:7f00:1]", "a loopback address"),
        ("[64:ff9b::7f00:1]", "a loopback address"),
        ("[2002:7f00:1::]", "a loopback address"),
        ("10.0.0.1", "a private address"),
        ("172.16.0.1", "a private address"),
        ("192.168.1.1", "a private address"),
        ("0xc0a80101", "a private address"),
        ("100.64.0.1", "behind a provider's NAT"),
        ("169.254.169.254", "a link-local address"),
        ("0xa9fea9fe", "a link-local address"),
        ("[fe80::1]", "a link-local address"),
        ("[fd00::1]", "a private address"),
        ("224.0.0.1", "a multicast address"),
        ("255.255.255.255", "the broadcast address"),
        ("192.0.2.1", "a documentation address"),
    ] {
        for scheme in ["http", "https", "HTTP"] {
            let why = refusal(&format!("{scheme}://{host}:{port}/hook"), policy(false, &[]));
            assert!(why.contains(address) && why.contains("may not reach"), "{scheme} {host}: {why}");
        }
    }
    assert!(service.requests().is_empty());
}

#[test]
fn what_is_no_web_address_is_refused() {
    for (url, why) in [
        ("ftp://127.0.0.1/", "only `http` and `https`"),
        ("file:///etc/passwd", ""),
        ("gopher://127.0.0.1:70/_x", "only `http` and `https`"),
        ("unix:/var/run/docker.sock", ""),
        ("/hook", "it has no host"),
        ("127.0.0.1/hook", ""),
        ("localhost:80", ""),
        ("http://", ""),
        ("http:///hook", ""),
        ("http://:80/", ""),
        ("https://user:password@example.com/", "user name or password"),
        ("http://example.com@127.0.0.1/", "user name or password"),
        ("http://127.0.0.1:80@example.com/", "user name or password"),
        ("http://example.com\\@127.0.0.1/", ""),
        ("http://127%2e0%2e0%2e1/", ""),
        ("http://127。0。0。1/", ""),
        ("http://exa mple.com/", ""),
        ("http://127.0.0.1\r\nHost: x/", ""),
    ] {
        let refusal = refusal(url, policy(true, &["127.0.0.1", "localhost", "example.com"]));
        assert!(refusal.contains(why), "{url}: {refusal}");
        assert!(!refusal.contains("password@"), "{refusal}");
    }
}

#[test]
fn a_policy_opens_what_it_names() {
    let service = Service::answering("200 OK", &[], r#"{"decision": "block"}"#);
    let port = service.address.port();
    let with_port = format!("127.0.0.1:{port}");
    for (host, policy) in [
        ("127.0.0.1", policy(true, &[])),
        ("127.0.0.1", policy(false, &["127.0.0.1"])),
        ("127.0.0.1", policy(false, &["other.example", &with_port])),
        ("LocalHost", policy(false, &["localhost"])),
        ("127.1", policy(true, &[])),
        ("127.1", policy(false, &["127.1"])),
    ] {
        let run = run(session([http_hook(&format!("http://{host}:{port}/hook"), &[])]).http_policy(policy.clone()));
        assert_eq!(decision(&run), Decision::Block, "{host} {policy:?}: {:?}", run.failure());
    }
    assert_eq!(service.requests().len(), 6);
}

#[test]
fn what_a_policy_does_not_name_stays_closed() {
    let service = Service::answering("200 OK", &[], "");
    let port = service.address.port();
    let other_port = format!("127.0.0.1:{}", port.wrapping_add(1));
    for (host, policy) in [
        ("127.0.0.1", policy(false, &["localhost"])),
        ("127.0.0.1", policy(false, &[&other_port])),
        ("127.1", policy(false, &["127.0.0.1"])),
        ("169.254.169.254", policy(true, &["127.0.0.1"])),
        ("0.0.0.0", policy(true, &[])),
    ] {
        let why = refusal(&format!("http://{host}:{port}/hook"), policy.clone());
        assert!(why.contains("may not reach"), "{host} {policy:?}: {why}");
    }
    assert!(service.requests().is_empty());
}

#[test]
fn a_refused_target_is_a_failure_and_on_error_decides() {
    let service = Service::answering("200 OK", &[], r#"{"decision": "allow"}"#);
    for (on_error, expected) in POLICIES {
        let hook = HookEntry { on_error, ..http_hook(&service.url(), &[]) };
        let run = run(session([hook]).http_policy(HttpPolicy::default()));
        assert_eq!(decision(&run), expected, "{on_error}");
    }
    assert!(service.requests().is_empty());
}

/// A proxy looks hosts up itself, so a guard before it would guard nothing.
#[test]
fn a_proxy_in_the_environment_is_not_used() {
    let proxy = Service::answering("200 OK", &[], r#"{"decision": "allow"}"#);
    let variables = ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "http_proxy", "https_proxy"];
    let again = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "guarding::a_policy_opens_what_it_names"])
        .envs(variables.map(|name| (name, format!("http://{}", proxy.address))))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && told.contains("1 passed"), "{told}");
    assert!(proxy.requests().is_empty());
}
