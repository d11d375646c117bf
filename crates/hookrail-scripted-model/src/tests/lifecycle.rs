//! Servers start, run side by side, and leave nothing behind.

use super::client::{Client, HANG, post_request};
use super::heard::hear;
use super::sample::{Mode, request};
use crate::{ModelServer, Provider, Script, Turn};
use hookrail_testkit::process::{wait_until, within};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

fn ask(server: &ModelServer) -> String {
    let (target, body) = request(Provider::Anthropic, Mode::Stream, "hi");
    hear(Provider::Anthropic, Mode::Stream, &Client::connect(server).post(target, &body)).text
}

#[test]
fn servers_run_side_by_side_with_scripts_and_records_of_their_own() {
    let first = ModelServer::start(Turn::text("from the first"));
    let second = ModelServer::start([Turn::text("from the second"), Turn::text("more")]);
    assert_ne!(first.base_url(), second.base_url());
    assert_eq!(ask(&second), "from the second");
    assert_eq!(ask(&first), "from the first");
    assert_eq!((first.requests().len(), second.requests().len()), (1, 1));
    assert_eq!((first.turns_left(), second.turns_left()), (0, 1));
}

#[test]
fn a_dropped_server_refuses_connections() {
    let server = ModelServer::start(Script::default());
    let address = server.base_url().strip_prefix("http://").unwrap().to_owned();
    assert!(TcpStream::connect(&address).is_ok());
    drop(server);
    assert!(TcpStream::connect(&address).is_err());
}

/// Drops the server while `client` is in the middle of something, and expects that it ends at once.
fn check_drop(server: ModelServer, client: Client) {
    within(HANG, move || drop(server));
    client.wait_for_end();
}

#[test]
fn dropping_the_server_disconnects_an_idle_client() {
    let server = ModelServer::start(Script::default());
    let (target, body) = request(Provider::Gemini, Mode::Whole, "hi");
    let mut client = Client::connect(&server);
    assert_eq!(client.post(target, &body).status, 200);
    check_drop(server, client);
}

#[test]
fn dropping_the_server_disconnects_a_client_in_the_middle_of_its_request() {
    for sent in ["", "POST /v1/mess", "POST /v1/messages HTTP/1.1\r\nContent-Length: 100\r\n\r\n{\"half\":"] {
        let server = ModelServer::start(Script::default());
        let mut client = Client::connect(&server);
        client.send(sent);
        check_drop(server, client);
    }
}

#[test]
fn dropping_the_server_ends_a_delay_that_holds_up_nobody_else() {
    let server = ModelServer::start([Turn::delay(HOUR, Turn::text("late")), Turn::text("at once")]);
    let (target, body) = request(Provider::OpenAiChat, Mode::Stream, "hi");
    let mut waiting = Client::connect(&server);
    waiting.send(post_request(target, &body));
    assert!(wait_until(HANG, || server.requests().len() == 1));
    assert_eq!(ask(&server), "at once");
    check_drop(server, waiting);
}

#[test]
fn dropping_the_server_disconnects_a_client_that_does_not_read() {
    let server = ModelServer::start(Turn::text("x".repeat(16 * 1024 * 1024)));
    let (target, body) = request(Provider::Anthropic, Mode::Whole, "hi");
    let mut client = Client::connect(&server);
    client.send(post_request(target, &body));
    assert_eq!(client.read_head().0, 200);
    check_drop(server, client);
}

#[test]
fn clients_that_go_away_do_not_disturb_the_others() {
    let server = ModelServer::start(Script::new([Turn::text("x".repeat(100_000)), Turn::text("still there")]));
    let (target, body) = request(Provider::Anthropic, Mode::Stream, "hi");
    let mut hasty = Client::connect(&server);
    hasty.send(post_request(target, &body));
    assert!(wait_until(HANG, || server.requests().len() == 1));
    drop(hasty);
    drop(Client::connect(&server));
    assert_eq!(ask(&server), "still there");
}

#[test]
fn many_connections_come_and_go() {
    let server = ModelServer::start(Script::default());
    let server = &server;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || (0..100).for_each(|_| assert_eq!(ask(server), "done")));
        }
    });
    assert_eq!(server.requests().len(), 400);
}
