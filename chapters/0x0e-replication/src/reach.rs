//! How this machine reaches the servers that hold the streams, and what it shows them.
//!
//! Anyone who can append to a stream can replace the primary. So beyond this machine a connection needs TLS: the servers show a
//! certificate, and this machine shows its own, whose key is what lets it in.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use async_nats::rustls::crypto::ring;
use async_nats::rustls::pki_types::pem::{self, PemObject};
use async_nats::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use async_nats::{ConnectOptions, ServerAddr};

use crate::error::ReplicaError;

/// Which servers hold the streams, and how they are reached
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ReachArgs {
    /// The servers that hold the stream, with commas between them, as in tls://10.0.0.1:4222,tls://10.0.0.2:4222
    #[arg(long, value_name = "URLS", value_delimiter = ',')]
    pub replicas: Vec<String>,
    /// The authority that signs the servers' certificates, in PEM [default: those that this system trusts]
    #[arg(long, value_name = "FILE")]
    pub replicas_ca: Option<PathBuf>,
    /// The chain of certificates that this machine shows the servers, in PEM
    #[arg(long, value_name = "FILE", requires = "replicas_key")]
    pub replicas_certificate: Option<PathBuf>,
    /// The private key of the first of these certificates, in PEM
    #[arg(long, value_name = "FILE", requires = "replicas_certificate")]
    pub replicas_key: Option<PathBuf>,
    /// Reach servers on other machines without TLS, in a network that is yours alone
    #[arg(long, conflicts_with_all = ["replicas_ca", "replicas_certificate"])]
    pub replicas_unencrypted: bool,
}

impl ReachArgs {
    /// These servers, and nothing to show them: enough on one machine.
    pub fn plain(replicas: Vec<String>) -> ReachArgs {
        ReachArgs { replicas, ..ReachArgs::default() }
    }

    /// What a client needs to connect.
    ///
    /// # Errors
    /// [`ReplicaError::Usage`] when no server is named, or one of them would be reached without TLS from another machine;
    /// [`ReplicaError::Certificate`] when a file can't be used.
    pub fn options(&self) -> Result<ConnectOptions, ReplicaError> {
        self.check_addresses()?;
        let mut options = ConnectOptions::new().require_tls(self.has_certificates());
        if let Some(authority) = &self.replicas_ca {
            certificates(authority)?;
            // These alone are trusted then, and not those of the system. The client reads them again for each connection.
            options = options.add_root_certificates(authority.clone());
        }
        if let (Some(chain), Some(key)) = (&self.replicas_certificate, &self.replicas_key) {
            check_pair(chain, key)?;
            options = options.add_client_certificate(chain.clone(), key.clone());
        }
        Ok(options)
    }

    /// Addresses without the user and password that may stand in them.
    pub fn shown(&self) -> String {
        self.replicas.iter().map(|server| shown(server)).collect::<Vec<_>>().join(", ")
    }

    fn has_certificates(&self) -> bool {
        self.replicas_ca.is_some() || self.replicas_certificate.is_some()
    }

    fn check_addresses(&self) -> Result<(), ReplicaError> {
        if self.replicas.is_empty() {
            return Err(ReplicaError::Usage("--replicas is missing: name the servers that hold the stream".into()));
        }
        for server in &self.replicas {
            let address: ServerAddr = server.parse().map_err(|error| {
                let example = "an address looks like tls://10.0.0.1:4222";
                ReplicaError::Usage(format!("--replicas: {} can't be used: {error}; {example}", shown(server)))
            })?;
            let is_safe = self.has_certificates() || address.tls_required() || self.replicas_unencrypted;
            if !is_safe && !is_this_machine(address.host()) {
                return Err(ReplicaError::Usage(format!(
                    "--replicas: {} is on another machine, and the log would cross the network unencrypted, where \
                     others could read it and append to it: use --replicas-ca, --replicas-certificate and --replicas-key, or \
                     --replicas-unencrypted in a network that is yours alone",
                    shown(server)
                )));
            }
        }
        Ok(())
    }
}

/// An address without the user and password that may stand in it.
fn shown(server: &str) -> String {
    server.rsplit_once('@').map_or(server, |(_, address)| address).to_owned()
}

/// Whether a connection to this host stays on this machine. A name is not looked up: it may stand for another tomorrow.
fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

fn unusable(path: &Path, what: String) -> ReplicaError {
    ReplicaError::Certificate { path: path.to_path_buf(), what }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ReplicaError> {
    let read: Result<Vec<_>, pem::Error> = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let read = read.map_err(|error| unusable(path, format!("no certificate could be read: {error}")))?;
    if read.is_empty() {
        return Err(unusable(path, "it contains no certificate".into()));
    }
    Ok(read)
}

/// Refuses a certificate and a key that do not belong together, which a server would refuse in fewer words.
fn check_pair(chain: &Path, key: &Path) -> Result<(), ReplicaError> {
    let certificates = certificates(chain)?;
    let secret = PrivateKeyDer::from_pem_file(key);
    let secret = secret.map_err(|error| unusable(key, format!("no private key could be read: {error}")))?;
    let pair = async_nats::rustls::sign::CertifiedKey::from_der(certificates, secret, &ring::default_provider());
    pair.map(drop).map_err(|error| unusable(key, format!("certificate and key do not match: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_this_machine() {
        for here in ["localhost", "127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"] {
            assert!(is_this_machine(here), "{here}");
        }
        for elsewhere in ["10.0.0.1", "0.0.0.0", "::", "localhost.example.org", "127.0.0.1.example.org", ""] {
            assert!(!is_this_machine(elsewhere), "{elsewhere}");
        }
    }
}
