//! The network: encrypted, or refused. The clients are `openssl` and one that speaks plain HTTP.
#![cfg(unix)]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::client::Client;
use crate::support::server::{PROGRAM, Server, ended};

/// Whether `openssl` is installed. Without it a test passes and reports that; in CI it fails.
fn has_openssl() -> bool {
    let is_there = Command::new("openssl").arg("version").output().is_ok_and(|output| output.status.success());
    assert!(is_there || std::env::var_os("CI").is_none(), "CI has no openssl");
    if !is_there {
        println!("skipped: no openssl, so TLS was not tested");
    }
    is_there
}

/// Creates a certificate for localhost, and its key.
fn certify(folder: &Path, name: &str) -> [String; 2] {
    let [certificate, key] = ["cert", "key"].map(|kind| folder.join(format!("{name}.{kind}")).display().to_string());
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]);
    openssl.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
    let made = openssl.args(["-out", &certificate, "-keyout", &key]).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    [certificate, key]
}

fn s_client(server: &Server, more: &[&str]) -> String {
    let mut openssl = Command::new("openssl");
    openssl
        .args(["s_client", "-connect", &server.address.to_string(), "-servername", "localhost", "-ign_eof"])
        .args(more);
    let mut child = openssl.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The handshake may have failed before the request is written.
    let asked = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let _ = child.stdin.take().unwrap().write_all(asked);
    let Output { stdout, stderr, .. } = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned()
}

#[test]
fn clients_speak_tls_and_nothing_else() {
    if !has_openssl() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [certificate, key] = certify(folder.path(), "own");
    let tls = ["--tls-certificate", &certificate, "--tls-key", &key, "--listen", "0.0.0.0:0"];
    let mut server = Server::start(&folder.path().join("data"), &tls);
    server.address.set_ip([127, 0, 0, 1].into());
    for version in ["-tls1_2", "-tls1_3"] {
        let said = s_client(&server, &[version, "-CAfile", &certificate, "-verify_return_error"]);
        assert!(said.contains("HTTP/1.1 200 OK") && said.contains("alive"), "{version}: {said}");
        assert!(said.contains("Verify return code: 0 (ok)"), "{version}: {said}");
    }
    let both = ["-alpn", "h2,http/1.1"];
    assert!(s_client(&server, &both).contains("ALPN protocol: http/1.1"), "HTTP/2 was not offered");
    let old = s_client(&server, &["-tls1_1"]);
    assert!(!old.contains("200 OK"), "{old}");
    assert!(server.client().get("/healthz").is_err(), "plain HTTP is not a handshake");
    let said = server.kill();
    assert!(said.contains("open https://"), "{said}");
    let mut server = Server::start(&folder.path().join("data"), &[&tls[..], &["--http2"]].concat());
    server.address.set_ip([127, 0, 0, 1].into());
    assert!(s_client(&server, &both).contains("ALPN protocol: h2"));
    assert!(s_client(&server, &[]).contains("HTTP/1.1 200 OK"), "a client without ALPN is served over HTTP/1.1");
}

#[test]
fn a_public_address_without_tls_is_refused() {
    let refused = |arguments: &[&str]| {
        let ended = ended(Command::new(PROGRAM).args(arguments));
        let words = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {words}");
        words
    };
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let words = refused(&["--no-demo", "--listen", listen]);
        for way in ["--tls-certificate", "--behind-proxy", "--classroom"] {
            assert!(words.contains(way), "{listen}: {words}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let nothing = folder.path().join("nothing").display().to_string();
    let words = refused(&["--tls-certificate", &nothing, "--tls-key", &nothing]);
    assert!(words.contains(&nothing) && words.contains("--tls-key"), "{words}");
    if has_openssl() {
        let ([one, key], [other, _]) = (certify(folder.path(), "one"), certify(folder.path(), "other"));
        assert!(refused(&["--tls-certificate", &other, "--tls-key", &key]).contains("do not match"));
        assert!(refused(&["--tls-certificate", &key, "--tls-key", &key]).contains("no certificate"));
        assert!(refused(&["--tls-certificate", &one, "--tls-key", &one]).contains("no private key"));
    }
}

#[test]
fn a_classroom_and_a_proxy_need_no_tls_and_a_classroom_gets_a_warning() {
    for (flag, warns) in [("--classroom", true), ("--behind-proxy", false)] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(folder.path(), &["--listen", "0.0.0.0:0", flag]);
        let mut address = server.address;
        address.set_ip([127, 0, 0, 1].into());
        assert_eq!(Client::connect(address).unwrap().get("/healthz").unwrap().status, 200);
        let said = server.kill();
        assert_eq!(said.contains("play money only"), warns, "{said}");
    }
}
