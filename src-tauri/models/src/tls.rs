//! TLS that reads the system's certificates at the first handshake, not at start.
//!
//! Reading and parsing them takes tens of milliseconds, and a local server over plain http never
//! needs them.

use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

/// The TLS settings of every connection; certificates are checked against the system's.
pub(crate) fn client_config() -> ClientConfig {
    with_verifier(Arc::new(SystemVerifier::new()))
}

fn with_verifier(verifier: Arc<SystemVerifier>) -> ClientConfig {
    ClientConfig::builder_with_provider(verifier.provider.clone())
        .with_safe_default_protocol_versions()
        .expect("ring supports the default TLS versions")
        // "Dangerous" is rustls' word for any verifier that is handed in; this one checks fully.
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth()
}

/// The platform's verifier, made when it is first asked.
#[derive(Debug)]
struct SystemVerifier {
    provider: Arc<CryptoProvider>,
    loaded: OnceLock<Result<Verifier, Error>>,
}

impl SystemVerifier {
    fn new() -> Self {
        Self { provider: Arc::new(ring::default_provider()), loaded: OnceLock::new() }
    }

    fn verifier(&self) -> Result<&Verifier, Error> {
        self.loaded
            .get_or_init(|| Verifier::new(self.provider.clone()))
            .as_ref()
            .map_err(Error::clone)
    }
}

impl ServerCertVerifier for SystemVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.verifier()?.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        )
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier()?.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier()?.verify_tls13_signature(message, cert, dss)
    }

    /// Known from the provider alone, so that a handshake can begin before certificates are read.
    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn making_a_client_reads_no_certificates() {
        let verifier = Arc::new(SystemVerifier::new());
        let tls = with_verifier(verifier.clone());
        reqwest::Client::builder().tls_backend_preconfigured(tls).build().unwrap();
        assert!(verifier.loaded.get().is_none());
        // Whether there are any certificates is this computer's affair.
        let _ = verifier.verifier();
        assert!(verifier.loaded.get().is_some());
    }
}
