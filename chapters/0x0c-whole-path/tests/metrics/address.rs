//! Where the metrics are: on this machine alone, unless the operator says otherwise.

use std::net::TcpListener;
use std::process::Command;

use crate::support::server::{PROGRAM, ended};

/// How the program ends with these flags: its code, and what it says.
fn refused(flags: &[&str]) -> (Option<i32>, String) {
    let output = ended(Command::new(PROGRAM).arg("--no-demo").args(flags));
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn other_machines_see_the_metrics_only_if_the_operator_says_so() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:9099"] {
        let (code, words) = refused(&["--metrics", address]);
        assert_eq!(code, Some(2), "{address}: {words}");
        for word in ["--metrics", "127.0.0.1:9099", "--metrics-open", "unencrypted"] {
            assert!(words.contains(word), "{address}: {words}");
        }
    }
    // An address that is kept for examples, so nothing listens for others while this is tested.
    let (code, words) = refused(&["--metrics", "192.0.2.1:9099", "--metrics-open"]);
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("could not listen on 192.0.2.1:9099"), "{words}");
}

#[test]
fn an_address_in_use_is_reported_with_the_right_flag() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (flag, other) in [("--metrics", "--listen"), ("--listen", "--metrics")] {
        let (code, words) = refused(&[flag, &address]);
        assert_eq!(code, Some(2), "{words}");
        assert!(words.contains(&address) && words.contains(&format!("choose another with {flag},")), "{words}");
        assert!(!words.contains(other), "{words}");
    }
}
