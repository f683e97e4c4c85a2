//! The pairs of files in `tests/fixtures/streams`.

use models::Protocol;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// One recorded or published answer.
pub struct Fixture {
    /// Folder and name.
    pub name: String,
    pub protocol: Protocol,
    pub status: u16,
    pub about: String,
    /// Where it comes from.
    pub source: String,
    /// The raw body.
    pub body: Vec<u8>,
    place: PathBuf,
}

#[derive(Deserialize)]
struct About {
    protocol: String,
    #[serde(default = "ok")]
    status: u16,
    about: String,
    source: String,
}

fn ok() -> u16 {
    200
}

impl Fixture {
    /// Every one of them, in order of their names.
    pub fn all() -> Vec<Self> {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/streams");
        let mut all = Vec::new();
        for folder in entries(&top).into_iter().filter(|entry| entry.is_dir()) {
            for about in entries(&folder) {
                if about.extension().is_some_and(|ext| ext == "json") {
                    all.push(Self::read(&folder, &about));
                }
            }
            for body in entries(&folder) {
                let orphan = body.extension().is_some_and(|ext| ext == "sse" || ext == "body")
                    && !body.with_extension("json").is_file();
                assert!(!orphan, "{} has no .json beside it", body.display());
            }
        }
        all
    }

    fn read(folder: &Path, file: &Path) -> Self {
        let shown = file.display();
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let about: About =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let protocol = match about.protocol.as_str() {
            "openai_chat" => Protocol::OpenAiChat,
            "openai_responses" => Protocol::OpenAiResponses,
            "anthropic" => Protocol::Anthropic,
            "gemini" => Protocol::Gemini,
            other => panic!("{shown}: there is no protocol {other}"),
        };
        assert!(!about.about.is_empty() && !about.source.is_empty(), "{shown} says too little");
        let place = file.with_extension("");
        // What is no stream, such as an error, is a plain body.
        let stream = place.with_extension("sse");
        let body = if stream.is_file() { stream } else { place.with_extension("body") };
        let body =
            std::fs::read(&body).unwrap_or_else(|error| panic!("{}: {error}", body.display()));
        let part =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("{}/{}", part(folder), part(&place));
        let About { status, about, source, .. } = about;
        Self { name, protocol, status, about, source, body, place }
    }

    /// What a client is known to make of it.
    pub fn expected(&self) -> Option<String> {
        std::fs::read_to_string(self.beside()).ok()
    }

    /// Writes what a client makes of it.
    pub fn write_expected(&self, outcome: &str) {
        std::fs::write(self.beside(), outcome)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
    }

    fn beside(&self) -> PathBuf {
        self.place.with_extension("txt")
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
