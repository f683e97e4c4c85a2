//! Reads server-sent events out of a byte stream that may be split anywhere.
//!
//! Each byte is looked at once, however long a line is and however many pieces it comes in: a
//! tool call that writes a large file is a single line of megabytes.

use bytes::{Buf, BytesMut};
use serde_json::{Value, json};

/// More than any real event has; a server that never ends one is cut off here.
const LONGEST: usize = 64 * 1024 * 1024;

/// Collects bytes and gives out the data of complete events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    buffer: BytesMut,
    /// How much of the buffer is known to hold no end of line.
    searched: usize,
    /// The data lines of the event under way.
    data: Option<Vec<u8>>,
    /// How many bytes of lines without data there were.
    skipped: usize,
    /// Whether the first line was seen, which may begin with a byte order mark.
    begun: bool,
    /// Whether a field `error` is the stream's error.
    error_field: bool,
}

/// An event that is longer than any answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

impl Events {
    /// Events of servers that may send an error in a field of its own, `error: {…}`. It is given
    /// out as the data `{"error": …}`, at once, since nothing comes after it.
    pub(crate) fn with_error_field(error_field: bool) -> Self {
        Self { error_field, ..Self::default() }
    }

    /// Takes in what has arrived.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() + self.data.as_ref().map_or(0, Vec::len) > LONGEST {
            Err(TooLong)
        } else {
            Ok(())
        }
    }

    /// How many bytes came that are no data.
    pub(crate) fn skipped(&self) -> usize {
        self.skipped
    }

    /// The data of the next complete event.
    pub(crate) fn next(&mut self) -> Option<Vec<u8>> {
        while let Some(line) = self.line() {
            if line.is_empty() {
                if let Some(data) = self.data.take() {
                    return Some(data);
                }
                self.skipped += 1;
                continue;
            }
            if self.error_field
                && let Some(data) = line.strip_prefix(b"error:").and_then(error)
            {
                return Some(data);
            }
            // Other fields (event, id, retry) and comments carry nothing for us.
            let value = match line.strip_prefix(b"data") {
                Some(value @ []) => value,
                Some([b':', b' ', rest @ ..] | [b':', rest @ ..]) => rest,
                Some(_) | None => {
                    self.skipped += line.len() + 1;
                    continue;
                }
            };
            match &mut self.data {
                None => self.data = Some(value.to_vec()),
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
            }
        }
        None
    }

    /// The next complete line without its end, which is LF or CR LF.
    fn line(&mut self) -> Option<BytesMut> {
        let Some(found) = self.buffer[self.searched..].iter().position(|&byte| byte == b'\n')
        else {
            self.searched = self.buffer.len();
            return None;
        };
        let mut line = self.buffer.split_to(self.searched + found);
        self.buffer.advance(1);
        self.searched = 0;
        if line.last() == Some(&b'\r') {
            line.truncate(line.len() - 1);
        }
        if !self.begun {
            self.begun = true;
            if line.starts_with(b"\xef\xbb\xbf") {
                line.advance(3);
            }
        }
        Some(line)
    }
}

/// The value of an error field as data, if there is one. What isn't JSON is the error's words.
fn error(value: &[u8]) -> Option<Vec<u8>> {
    let value = value.trim_ascii();
    let words = || Value::String(String::from_utf8_lossy(value).into_owned());
    let error: Value = serde_json::from_slice(value).unwrap_or_else(|_| words());
    (!value.is_empty()).then(|| json!({ "error": error }).to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<String> {
        read_from(Events::default(), pieces)
    }

    fn read_from(mut events: Events, pieces: &[&[u8]]) -> Vec<String> {
        let mut all = Vec::new();
        for piece in pieces {
            events.push(piece).unwrap();
            while let Some(data) = events.next() {
                all.push(String::from_utf8(data).unwrap());
            }
        }
        all
    }

    #[test]
    fn events_are_the_same_however_they_are_split() {
        let text =
            "\u{feff}: hello\r\ndata: {\"a\":\"é\"}\r\n\r\nevent: x\ndata:one\ndata:  two\n\n\
                    id: 4\n\ndata\n\ndatax: no\n\ndata: [DONE]\n\ndata: cut"
                .as_bytes();
        let whole = read(&[text]);
        assert_eq!(whole, ["{\"a\":\"é\"}", "one\n two", "", "[DONE]"]);
        for at in 0..text.len() {
            assert_eq!(read(&[&text[..at], &text[at..]]), whole);
        }
        assert_eq!(read(&text.chunks(1).collect::<Vec<_>>()), whole);
    }
    #[test]
    fn an_error_field_is_data_only_where_servers_send_it() {
        let text = b"data: 1\n\nerror: {\"code\":500}\nerrors: no\nerror:\nerror: no room\n";
        let all = read_from(Events::with_error_field(true), &[text]);
        assert_eq!(all, ["1", r#"{"error":{"code":500}}"#, r#"{"error":"no room"}"#]);
        assert_eq!(read(&[text]), ["1"]);
    }
}
