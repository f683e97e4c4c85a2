//! What the sandbox reports while it runs: a few small JSON objects.

use serde::Deserialize;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Note {
    child_pid: Option<i32>,
    exit_code: Option<i32>,
}

/// Reads the report of one run.
pub(super) struct Report {
    pipe: Receiver,
    text: Vec<u8>,
}

impl Report {
    pub(super) fn new(pipe: Receiver) -> Self {
        Self { pipe, text: Vec::new() }
    }

    /// Waits for the first process inside; `None` when there will be none.
    pub(super) async fn first_process(&mut self) -> Option<i32> {
        loop {
            if let Some(pid) = self.notes().find_map(|note| note.child_pid) {
                return Some(pid);
            }
            match self.pipe.read_buf(&mut self.text).await {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The exit code, once the sandbox has ended; `None` when nothing ran.
    pub(super) fn exit_code(&mut self) -> Option<i32> {
        let mut piece = [0; 1024];
        while let Ok(count) = self.pipe.try_read(&mut piece)
            && count > 0
        {
            self.text.extend_from_slice(&piece[..count]);
        }
        self.notes().find_map(|note| note.exit_code)
    }

    fn notes(&self) -> impl Iterator<Item = Note> {
        serde_json::Deserializer::from_slice(&self.text).into_iter().map_while(Result::ok)
    }
}
