//! Which targets an HTTP hook may reach. A hook's address often comes from a repository, and its author must not be able
//! to make this machine talk to services that only this machine can reach.

use super::address::{Zone, zone_of};
use hookrail_engine::HttpPolicy;
use std::net::IpAddr;
use std::sync::Arc;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// A host that leads where HTTP hooks may not go.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{host}` is {address}, {zone}, which HTTP hooks may not reach\nhint: allow the host in the HTTP policy if it is meant"
)]
pub(super) struct ForbiddenTarget {
    host: String,
    address: IpAddr,
    zone: &'static str,
}

/// One bad address is enough: which of them would be taken is not ours to say.
fn check(policy: &HttpPolicy, target: &Uri, addresses: &[std::net::SocketAddr]) -> Result<(), ForbiddenTarget> {
    if names(policy, target) {
        return Ok(());
    }
    for address in addresses.iter().map(std::net::SocketAddr::ip) {
        let zone = match zone_of(address) {
            Zone::Public => continue,
            Zone::Private(_) if policy.allow_private => continue,
            Zone::Private(zone) | Zone::Special(zone) => zone,
        };
        return Err(ForbiddenTarget { host: bare(target.host().unwrap_or_default()), address, zone });
    }
    Ok(())
}

fn names(policy: &HttpPolicy, target: &Uri) -> bool {
    let Some(host) = target.host().map(bare) else { return false };
    let port = target.port_u16().or_else(|| default_port(target));
    policy.allow_hosts.iter().map(|entry| entry.trim()).any(|entry| {
        let with_port = entry.rsplit_once(':').and_then(|(name, port)| Some((name, port.parse::<u16>().ok()?)));
        // `::1` ends in something like a port, but is a name.
        bare(entry) == host || with_port.is_some_and(|(name, allowed)| bare(name) == host && Some(allowed) == port)
    })
}

fn default_port(target: &Uri) -> Option<u16> {
    match target.scheme_str() {
        Some("http") => Some(80),
        Some("https") => Some(443),
        _ => None,
    }
}

/// A host's name without what does not matter: case, a final dot, the brackets of IPv6.
fn bare(host: &str) -> String {
    host.trim_end_matches('.').trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase()
}

/// Whether a request is guarded.
#[derive(Clone, Debug)]
pub(super) enum RequestTargets {
    /// For targets that the user configured.
    Anywhere,
    Guarded(HttpPolicy),
}

/// Looks hosts up, and gives out only addresses that may be reached. The connection is made to exactly these, so a name
/// that changes its address between check and use gains nothing.
#[derive(Debug)]
pub(super) struct Guard {
    pub reach: RequestTargets,
    pub lookup: Arc<dyn Resolver>,
}

impl Resolver for Guard {
    fn resolve(&self, target: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let addresses = self.lookup.resolve(target, config, timeout)?;
        match &self.reach {
            RequestTargets::Anywhere => {}
            RequestTargets::Guarded(policy) => {
                check(policy, target, &addresses).map_err(|refusal| ureq::Error::Other(Box::new(refusal)))?;
            }
        }
        Ok(addresses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::{Post, Target, Web};
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use ureq::http::HeaderMap;

    /// A name server that gives its answers in turn; the last one for ever.
    #[derive(Debug)]
    struct Names {
        answers: Vec<Vec<SocketAddr>>,
        asked: AtomicUsize,
    }

    impl Names {
        fn new(answers: &[&[&str]]) -> Arc<Self> {
            let parse = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
            Arc::new(Self { answers: answers.iter().map(parse).collect(), asked: AtomicUsize::new(0) })
        }
    }

    impl Resolver for Names {
        fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
            let turn = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
            let mut addresses = self.empty();
            self.answers[turn].iter().for_each(|address| addresses.push(*address));
            Ok(addresses)
        }
    }

    fn policy(allow_private: bool, allow_hosts: &[&str]) -> HttpPolicy {
        HttpPolicy { allow_private, allow_hosts: allow_hosts.iter().map(|&host| host.to_owned()).collect() }
    }

    /// `Err` holds the address that was refused.
    #[track_caller]
    fn check(policy: &HttpPolicy, url: &str, addresses: &[&str], expected: Result<(), &str>) {
        let guard = Guard { reach: RequestTargets::Guarded(policy.clone()), lookup: Names::new(&[addresses]) };
        let outcome = guard.resolve(&url.parse().unwrap(), &Config::default(), NextTimeout::default());
        let refused = outcome.map(|found| assert_eq!(found.len(), addresses.len())).map_err(|error| match error {
            ureq::Error::Other(cause) => cause.downcast::<ForbiddenTarget>().unwrap().address.to_string(),
            other => panic!("{other}"),
        });
        assert_eq!(refused, expected.map_err(str::to_owned), "{policy:?} {url} {addresses:?}");
    }

    #[test]
    fn one_forbidden_address_forbids_the_host() {
        let (public, private, link_local) = ("8.8.8.8:80", "10.0.0.1:80", "169.254.169.254:80");
        let url = "http://example.com/hook";
        let strict = policy(false, &[]);
        check(&strict, url, &[public], Ok(()));
        check(&strict, url, &[public, "[2606:4700::1]:80"], Ok(()));
        check(&strict, url, &[private], Err("10.0.0.1"));
        check(&strict, url, &[public, private], Err("10.0.0.1"));
        check(&strict, url, &[public, "[::1]:80"], Err("::1"));
        check(&strict, url, &["[::ffff:127.0.0.1]:80"], Err("::ffff:127.0.0.1"));

        let open = policy(true, &[]);
        check(&open, url, &[public, private, "127.0.0.1:80", "[fd00::1]:80"], Ok(()));
        check(&open, url, &[private, link_local], Err("169.254.169.254"));
        check(&open, url, &["0.0.0.0:80"], Err("0.0.0.0"));
    }

    #[test]
    fn an_allowed_host_may_be_anywhere_and_no_other_host_with_it() {
        let loopback = ["127.0.0.1:80"];
        let refused = Err("127.0.0.1");
        for (allowed, url, expected) in [
            ("hooks.corp", "http://hooks.corp/", Ok(())),
            ("hooks.corp", "https://HOOKS.corp.:8443/x", Ok(())),
            (" Hooks.Corp. ", "http://hooks.corp/", Ok(())),
            ("hooks.corp", "http://evil.hooks.corp/", refused),
            ("hooks.corp", "http://hooks.corp.evil.com/", refused),
            ("hooks.corp", "http://evil.com/hooks.corp", refused),
            ("hooks.corp:8080", "http://hooks.corp:8080/", Ok(())),
            ("hooks.corp:8080", "http://hooks.corp:8081/", refused),
            ("hooks.corp:80", "http://hooks.corp/", Ok(())),
            ("hooks.corp:443", "https://hooks.corp/", Ok(())),
            ("hooks.corp:443", "http://hooks.corp/", refused),
            ("127.0.0.1", "http://127.0.0.1:9/", Ok(())),
            ("127.0.0.1", "http://localhost:9/", refused),
            ("::1", "http://[::1]:9/", Ok(())),
            ("[::1]:9", "http://[::1]:9/", Ok(())),
            ("[::1]:8", "http://[::1]:9/", refused),
            ("", "http://localhost/", refused),
            ("*", "http://localhost/", refused),
        ] {
            check(&policy(false, &[allowed]), url, &loopback, expected);
        }
        check(&policy(false, &["metadata"]), "http://metadata/", &["169.254.169.254:80"], Ok(()));
    }

    #[test]
    fn what_the_user_configured_is_not_guarded() {
        let guard = Guard { reach: RequestTargets::Anywhere, lookup: Names::new(&[&["127.0.0.1:80"]]) };
        let found = guard.resolve(&"http://x/".parse().unwrap(), &Config::default(), NextTimeout::default());
        assert_eq!(found.unwrap().len(), 1);
    }

    #[test]
    fn a_host_is_looked_up_once_and_the_connection_goes_to_the_address_that_was_checked() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let good = listener.local_addr().unwrap().to_string();
        let trap = TcpListener::bind("127.0.0.1:0").unwrap();
        trap.set_nonblocking(true).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood").unwrap();
        });

        let names = Names::new(&[&[&good], &[&trap.local_addr().unwrap().to_string()]]);
        let target = Target::parse("http://rebinding.example/").unwrap();
        let reply = Web::with_lookup(Arc::clone(&names) as Arc<dyn Resolver>).post(&Post {
            target: &target,
            headers: HeaderMap::new(),
            body: b"{}",
            secrets: &[],
            reach: RequestTargets::Guarded(policy(true, &[])),
            timeout: Duration::from_secs(20),
            limit: 1 << 20,
        });
        assert_eq!(reply.unwrap().text, "good");
        assert_eq!(names.asked.load(Ordering::SeqCst), 1);
        assert!(trap.accept().is_err(), "there was no connection to the second address");
        server.join().unwrap();
    }
}
