//! What the program says of itself, in lines on its error output and in its log: without known
//! secrets, and without what would steer a terminal.

use crate::engine::Engine;
use crate::redact::Redactor;
use std::io::{self, Write};
use std::sync::{Arc, OnceLock};

/// The error output, one line at a time. Clones know the same secrets.
#[derive(Clone, Default)]
pub struct Lines {
    redactor: Arc<OnceLock<Redactor>>,
}

impl Lines {
    /// Keeps what this engine knows to be secret out of every line from now on.
    pub fn redact_with(&self, engine: &Engine) {
        let _ = self.redactor.set(engine.shared.redactor.clone());
    }

    /// A line as it may be shown.
    pub fn clean(&self, line: &[u8]) -> String {
        let text = String::from_utf8_lossy(line).into_owned();
        let text = match self.redactor.get() {
            Some(redactor) => redactor.clean(text),
            None => text,
        };
        harmless(&text)
    }
}

/// The text with control characters written out, but for those that lay out lines, and with what
/// would hide or turn words around by its name.
fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' | '\t' => shown.push(char),
            _ if char.is_control() => shown.extend(char.escape_unicode()),
            _ => shown.push(char),
        }
    }
    plan::visible::visible(&shown)
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(self.clean(line).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_and_what_steers_a_terminal_is_written_out() {
        let line = "one\ttwo\x1b[2J\r\u{9b}1m\u{7} é\n".as_bytes();
        let shown = "one\ttwo\\u{1b}[2J\\u{d}\\u{9b}1m\\u{7} é\n";
        assert_eq!(Lines::default().clean(line), shown);
        let turned = "rm \u{202e}fdp.a\u{200b}\n".as_bytes();
        assert_eq!(Lines::default().clean(turned), "rm ⟨U+202E⟩fdp.a⟨U+200B⟩\n");
    }
}
