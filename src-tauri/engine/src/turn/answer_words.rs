//! The words in `{"name": "answer", "arguments": {"text": "…"}}` as they come, so that a person can read along.

/// Reads the words out of the JSON, piece by piece.
#[derive(Debug, Default)]
pub(super) struct AnswerWords {
    raw: String,
    /// How much of `raw` is read.
    read: usize,
    place: Place,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before the words; it may still be something else.
    #[default]
    Before,
    /// In them.
    Inside,
    /// Behind them.
    After,
    /// It is no answer.
    Other,
}

/// What comes before the words, but for white space.
const HEAD: &str = r#"{"name":"answer","arguments":{"text":""#;

impl AnswerWords {
    /// Whether it has turned out to be an answer.
    pub(super) fn is_answer(&self) -> bool {
        matches!(self.place, Place::Inside | Place::After)
    }

    /// The words that a further piece brings.
    pub(super) fn next(&mut self, piece: &str) -> String {
        self.raw.push_str(piece);
        if self.place == Place::Before {
            self.begin();
        }
        let mut words = String::new();
        while self.place == Place::Inside {
            let Some((text, used)) = next_char(&self.raw[self.read..]) else { break };
            self.read += used;
            match text {
                Some(text) => words.push(text),
                None => self.place = Place::After,
            }
        }
        words
    }

    fn begin(&mut self) {
        let mut head = HEAD.chars().peekable();
        for (at, found) in self.raw.char_indices() {
            match head.peek() {
                Some(wanted) if *wanted == found => {
                    head.next();
                }
                Some(_) if found.is_whitespace() => {}
                Some(_) => {
                    self.place = Place::Other;
                    return;
                }
                None => {
                    (self.place, self.read) = (Place::Inside, at);
                    return;
                }
            }
        }
        if head.peek().is_none() {
            (self.place, self.read) = (Place::Inside, self.raw.len());
        }
    }
}

/// The next letter of a JSON string and how much of the text it is; no letter at the end of the
/// string, and nothing while the text is not all there.
fn next_char(text: &str) -> Option<(Option<char>, usize)> {
    let first = text.chars().next()?;
    match first {
        '"' => return Some((None, 1)),
        '\\' => {}
        other => return Some((Some(other), other.len_utf8())),
    }
    let second = text[1..].chars().next()?;
    let plain = match second {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => return escaped(text),
        other => other,
    };
    Some((Some(plain), 1 + second.len_utf8()))
}

/// A letter by its number, which may come in two halves.
fn escaped(text: &str) -> Option<(Option<char>, usize)> {
    let half = |at: usize| u16::from_str_radix(text.get(at..at + 4)?, 16).ok();
    let unknown = char::REPLACEMENT_CHARACTER;
    if text.len() < 6 {
        return None;
    }
    let Some(first) = half(2) else { return Some((Some(unknown), 2)) };
    if !(0xd800..0xdc00).contains(&first) {
        return Some((Some(char::from_u32(first.into()).unwrap_or(unknown)), 6));
    }
    let rest = &text[6..];
    if rest.len() < 6 && r"\u".starts_with(&rest[..rest.len().min(2)]) {
        return None;
    }
    let second = rest.starts_with(r"\u").then(|| half(8)).flatten();
    let whole = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    Some(whole.map_or((Some(unknown), 6), |whole| (Some(whole), 12)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> (String, bool) {
        let mut words = AnswerWords::default();
        let text = pieces.iter().map(|piece| words.next(piece)).collect();
        (text, words.is_answer())
    }

    #[test]
    fn the_words_are_the_same_however_they_are_cut() {
        let text = "Ä \"b\"\n\t\\ 😀 end";
        let quoted = serde_json::Value::from(text).to_string();
        let json = format!("{HEAD}{}}}}}", &quoted[1..]);
        let escaped = r#" { "name" : "answer", "arguments": { "text" :  "\u00c4 \"b\"\n\t\\ \ud83d\ude00 end" } } "#;
        for json in [json.as_str(), escaped] {
            for at in json.char_indices().map(|(at, _)| at) {
                assert_eq!(read(&[&json[..at], &json[at..]]), (text.to_owned(), true), "{at}");
            }
        }
    }

    #[test]
    fn nothing_else_is_read() {
        let other = r#"{"name": "answer", "arguments": {"texts": "x"}}"#;
        for json in [r#"{"name": "x"}"#, "plain", "", other, r#"{"answer": "x"}"#] {
            assert_eq!(read(&[json]), (String::new(), false), "{json}");
        }
        assert_eq!(read(&[HEAD, "\"}}", HEAD, "b"]), (String::new(), true));
        assert_eq!(read(&[HEAD, r"\ud83dx", "\""]).0, "\u{fffd}x");
    }
}
