//! Who may connect, and to whom.

use crate::machine::own_fleet;
use hookrail_fleet::database::Database;
use hookrail_fleet::postgres::{Address, Credentials};
use std::fs;

#[test]
fn a_password_is_proven_by_scram_and_a_wrong_one_is_refused() {
    let Some(cluster) = own_fleet() else { return };
    // What a server makes of a password by itself differs between versions.
    assert_eq!(cluster.sql("SET password_encryption = 'scram-sha-256'; ALTER ROLE alice PASSWORD 'right'"), "");
    let conf = cluster.socket().join("data/pg_hba.conf");
    fs::write(&conf, "local all alice scram-sha-256\nlocal all bob md5\nlocal all all trust\n").unwrap();
    assert_eq!(cluster.sql("ALTER ROLE bob PASSWORD 'right'; SELECT pg_reload_conf()"), "t");
    let try_with = |user: &str, password: Option<&str>| {
        let address = Address::parse(&cluster.address(user)).unwrap();
        let env = |name: &str| (name == "PGPASSWORD").then_some(password).flatten().map(str::to_owned);
        let credentials = Credentials::find(&address, None, &env).unwrap();
        Database::connect(&address, &credentials).map(drop).map_err(|error| error.to_string())
    };
    for user in ["alice", "bob"] {
        assert_eq!(try_with(user, Some("right")), Ok(()), "{user}");
        assert!(try_with(user, Some("wrong")).unwrap_err().contains("28P01"), "{user}");
        assert!(try_with(user, None).unwrap_err().contains("hint: set PGPASSWORD"), "{user}");
    }
}

#[test]
fn over_a_network_the_server_has_to_prove_who_it_is() {
    let Some(cluster) = own_fleet() else { return };
    let (port, authority) = cluster.resume_on_network(true);
    let root = format!("?sslrootcert={}", authority.display());
    let try_with = |host: &str, query: &str| {
        let address = Address::parse(&format!("postgres://alice@{host}:{port}/postgres{query}")).unwrap();
        let credentials = Credentials::find(&address, None, &|_| None).unwrap();
        let mut database = Database::connect(&address, &credentials).map_err(|error| error.to_string())?;
        let rows = database.client().query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", &[]);
        Ok::<_, String>(rows.unwrap()[0].text(0))
    };
    assert_eq!(try_with("localhost", &root), Ok("t".to_owned()));
    assert!(try_with("127.0.0.1", &root).unwrap_err().contains("TLS with 127.0.0.1 failed"), "another name");
    assert!(try_with("localhost", "").unwrap_err().contains("TLS with localhost failed"), "an unknown authority");
    assert_eq!(try_with("localhost", "?sslmode=disable"), Ok("f".to_owned()), "this machine only");
    let (port, _) = cluster.resume_on_network(false);
    let address = Address::parse(&format!("postgres://alice@localhost:{port}/postgres{root}")).unwrap();
    let credentials = Credentials::find(&address, None, &|_| None).unwrap();
    let error = Database::connect(&address, &credentials).unwrap_err().to_string();
    assert!(error.contains("does not offer TLS"), "{error}");
}
