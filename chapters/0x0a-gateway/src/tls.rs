//! TLS: it keeps an attacker on the network from reading keys or impersonating the venue.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Why the certificate or its key can't be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path}: {what}; --tls-certificate names a chain of certificates in PEM, --tls-key the private key of its first"
)]
pub struct TlsError {
    path: PathBuf,
    what: String,
}

/// TLS with this chain of certificates and this key, each a PEM file. Offers HTTP/2 in the handshake if `http2` is set.
///
/// # Errors
/// [`TlsError`].
pub fn acceptor(certificate: &Path, key: &Path, http2: bool) -> Result<TlsAcceptor, TlsError> {
    let failed = |path: &Path, what: String| TlsError { path: path.to_path_buf(), what };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect);
    let chain = chain.map_err(|error| failed(certificate, format!("no certificate could be read: {error}")))?;
    if chain.is_empty() {
        return Err(failed(certificate, "it contains no certificate".into()));
    }
    let secret = PrivateKeyDer::from_pem_file(key);
    let secret = secret.map_err(|error| failed(key, format!("no private key could be read: {error}")))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config =
        config.with_safe_default_protocol_versions().map_err(|error| failed(certificate, error.to_string()))?;
    let config = config.with_no_client_auth().with_single_cert(chain, secret);
    let mut config = config.map_err(|error| failed(key, format!("certificate and key do not match: {error}")))?;
    let protocols: &[&[u8]] = if http2 { &[b"h2", b"http/1.1"] } else { &[b"http/1.1"] };
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(TlsAcceptor::from(Arc::new(config)))
}
