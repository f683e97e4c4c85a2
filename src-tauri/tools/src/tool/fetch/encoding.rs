//! In which encoding an answer is written: a mark at its beginning says so, the server, or the page
//! itself. Where nobody does, it is UTF-8, or else what the web takes for the usual one.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Where a page says it, if it does, in bytes.
const HEAD: usize = 1024;

/// Of so many letters one may steer; binary data has far more of those.
const ONE_OF: usize = 100;

/// The text, without the mark; `kind` is what the server calls it.
pub(super) fn decode(bytes: &[u8], kind: &str) -> String {
    let encoding = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding,
        None => named(kind).or_else(|| in_page(bytes, kind)).unwrap_or_else(|| untold(bytes)),
    };
    encoding.decode(bytes).0.into_owned()
}

/// Whether this is no text at all.
pub(super) fn is_binary(text: &str) -> bool {
    let steers = |letter: &char| {
        letter.is_control() && !matches!(letter, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}')
    };
    text.contains('\0') || text.chars().filter(steers).count() * ONE_OF > text.len()
}

/// The encoding that stands after `charset=`.
fn named(text: &str) -> Option<&'static Encoding> {
    let text = text.to_ascii_lowercase();
    value(&text, "charset")
}

/// What a page says of itself in its head. It was read so far as ASCII, so it can't be wide.
fn in_page(bytes: &[u8], kind: &str) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_ascii_lowercase();
    let told = if kind.contains("html") {
        head.split("<meta").skip(1).find_map(|tag| value(tag.split('>').next()?, "charset"))
    } else if head.starts_with("<?xml") {
        value(head.split("?>").next()?, "encoding")
    } else {
        None
    };
    told.map(|told| if told == UTF_16LE || told == UTF_16BE { UTF_8 } else { told })
}

/// The encoding that a name in this text is set to, with or without quotes.
fn value(text: &str, name: &str) -> Option<&'static Encoding> {
    let after = text.split_once(name)?.1.trim_start().strip_prefix('=')?;
    let after = after.trim_start().trim_start_matches(['"', '\'']);
    let label = after.split(|c: char| c.is_whitespace() || "\"';>".contains(c)).next()?;
    Encoding::for_label_no_replacement(label.as_bytes())
}

/// Cut in the middle of a letter it is UTF-8 as well.
fn untold(bytes: &[u8]) -> &'static Encoding {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_some() => WINDOWS_1252,
        Ok(_) | Err(_) => UTF_8,
    }
}
