//! What went over the wire, kept as raw bytes with every key removed.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What stands where a key was.
const REMOVED: &str = "[removed]";

/// One request with its answer.
#[derive(Debug, Clone, Default)]
pub struct Exchange {
    /// Its number within the task, from 1.
    pub number: usize,
    /// Path and query of the request.
    pub path: String,
    pub request: Vec<u8>,
    pub status: u16,
    /// Headers of the answer that change what it means.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Whether the answer came to its end.
    pub whole: bool,
    pub ms: u64,
    /// Keys that the request carried.
    pub keys: Vec<String>,
}

impl Exchange {
    /// The protocol, by the path.
    pub fn protocol(&self) -> Option<&'static str> {
        let path = self.path.split('?').next().unwrap_or_default();
        if path.ends_with("/chat/completions") {
            Some("openai_chat")
        } else if path.ends_with("/responses") {
            Some("openai_responses")
        } else if path.ends_with("/messages") {
            Some("anthropic")
        } else if path.contains(":streamGenerateContent") || path.contains(":generateContent") {
            Some("gemini")
        } else {
            None
        }
    }

    /// Writes `NNN.json` with what it is about and `NNN.sse` with the raw answer.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, String> {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        let request = self.without_keys(&self.request);
        let request: Value = serde_json::from_slice(&request)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&request).into_owned()));
        let answer = crate::wire::answer(&self.body);
        let about = json!({
            "number": self.number,
            "protocol": self.protocol(),
            "path": String::from_utf8_lossy(&self.without_keys(self.path.as_bytes())),
            "status": self.status,
            "headers": self.headers.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "whole": self.whole,
            "ms": self.ms,
            "input_tokens": answer.input,
            "output_tokens": answer.output,
            "request": request,
        });
        let name = format!("{:03}", self.number);
        let path = folder.join(format!("{name}.json"));
        let text = serde_json::to_string_pretty(&about).map_err(|error| error.to_string())?;
        write(&path, text.as_bytes())?;
        write(&folder.join(format!("{name}.sse")), &self.without_keys(&self.body))?;
        Ok(path)
    }

    fn without_keys(&self, bytes: &[u8]) -> Vec<u8> {
        self.keys.iter().fold(bytes.to_vec(), |bytes, key| replaced(&bytes, key.as_bytes()))
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The bytes with every occurrence of a key replaced.
fn replaced(bytes: &[u8], key: &[u8]) -> Vec<u8> {
    // Shorter ones are no keys, and would be found everywhere.
    if key.len() < 6 {
        return bytes.to_vec();
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(key.len()).position(|window| window == key) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(REMOVED.as_bytes());
        rest = &rest[at + key.len()..];
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_in_neither_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let exchange = Exchange {
            number: 1,
            path: "/v1/chat/completions?key=sk-secret-1".into(),
            request: br#"{"said":"my key is sk-secret-1"}"#.to_vec(),
            status: 200,
            body: b"data: sk-secret-1 and sk-secret-1\n\n".to_vec(),
            keys: vec!["sk-secret-1".into()],
            ..Exchange::default()
        };
        let about = exchange.write(folder.path()).expect("it is written");
        let about = std::fs::read_to_string(about).expect("it is there");
        let body = std::fs::read_to_string(folder.path().join("001.sse")).expect("it is there");
        assert!(!about.contains("sk-secret-1"), "{about}");
        assert!(about.contains("my key is [removed]"), "{about}");
        assert_eq!(body, "data: [removed] and [removed]\n\n");
    }

    #[test]
    fn the_path_tells_the_protocol() {
        let of = |path: &str| Exchange { path: path.into(), ..Exchange::default() }.protocol();
        assert_eq!(of("/v1/chat/completions"), Some("openai_chat"));
        assert_eq!(of("/v1/responses"), Some("openai_responses"));
        assert_eq!(of("/v1/messages?beta=true"), Some("anthropic"));
        assert_eq!(of("/v1beta/models/x:streamGenerateContent?alt=sse"), Some("gemini"));
        assert_eq!(of("/v1/models"), None);
    }
}
