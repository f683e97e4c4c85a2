//! A server on this computer that speaks https with a certificate that nobody knows.

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection};
use std::net::TcpListener;
use std::sync::Arc;

/// For 127.0.0.1, until 2126. It opens nothing: nobody trusts it.
const CERTIFICATE: &[u8] = include_bytes!("self_signed/certificate.der");
const KEY: &[u8] = include_bytes!("self_signed/key.der");

/// Starts it, and gives its port.
pub fn self_signed() -> u16 {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(KEY));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring supports the default TLS versions")
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key)
        .expect("key and certificate belong together");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has a number").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let Ok(mut connection) = ServerConnection::new(Arc::clone(&config)) else { return };
            // Whoever checks the certificate leaves.
            while connection.is_handshaking() && connection.complete_io(&mut stream).is_ok() {}
        }
    });
    port
}
