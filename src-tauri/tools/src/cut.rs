//! Keeps the beginning and the end of long text and drops the middle.

use crate::secrets::Secrets;
use std::collections::VecDeque;

/// What is left out beside a gap in the middle: more than the longest secret.
const EDGE: usize = 16 * 1024;

/// Cuts `text` to about `limit` bytes, at line ends where it can.
///
/// `note` is given the text that is kept in front and the text left out, and
/// writes the line between the two halves. `None` means nothing was cut.
pub(crate) fn middle(
    text: &str,
    limit: usize,
    note: impl FnOnce(&str, &str) -> String,
) -> Option<String> {
    if text.len() <= limit {
        return None;
    }
    let half = limit / 2;
    let head_end = line_end_before(text, half);
    let tail_start = line_start_after(text, text.len() - half);
    let (head, left_out, tail) =
        (&text[..head_end], &text[head_end..tail_start], &text[tail_start..]);
    let gap = if head.ends_with('\n') || head.is_empty() { "" } else { "\n" };
    Some(format!("{head}{gap}{}\n{tail}", note(head, left_out)))
}

/// The beginning of a text, with no half of a word at its end: half a secret is not known by anybody
/// later.
pub(crate) fn first_words(text: &str, limit: usize) -> &str {
    let at = text.floor_char_boundary(limit);
    let ends = at == text.len() || !text[at..].starts_with(is_of_a_word);
    text[..at].trim_end_matches(|letter| !ends && is_of_a_word(letter))
}

/// The end of a text, with no half of a word at its beginning.
pub(crate) fn last_words(text: &str, limit: usize) -> &str {
    let at = text.ceil_char_boundary(text.len().saturating_sub(limit));
    let begins = at == 0 || !text[..at].ends_with(is_of_a_word);
    text[at..].trim_start_matches(|letter| !begins && is_of_a_word(letter))
}

/// Whether it may stand within a key or a token.
fn is_of_a_word(letter: char) -> bool {
    !letter.is_whitespace() && !matches!(letter, '"' | '\'' | ',' | '{' | '}' | '<' | '>')
}

/// The last line end in the second half before `at`, else the nearest character.
fn line_end_before(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    match text[..at].rfind('\n') {
        Some(newline) if newline + 1 > at / 2 => newline + 1,
        Some(_) | None => at,
    }
}

fn line_start_after(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    let room = (text.len() - at) / 2;
    match text[at..].find('\n') {
        Some(newline) if newline < room => at + newline + 1,
        Some(_) | None => at,
    }
}

/// What was kept of a text.
pub(crate) struct Kept {
    /// The text, with a note in it where something is missing.
    pub(crate) text: String,
    /// What is missing, in words.
    pub(crate) missing: Option<String>,
}

impl Kept {
    /// At most about `limit` bytes of a text.
    pub(crate) fn of(text: String, limit: usize) -> Self {
        let mut missing = None;
        let cut = middle(&text, limit, |head, left_out| {
            let first = newlines(head.as_bytes()) + 1;
            let next = first + newlines(left_out.as_bytes());
            let words = never_kept(left_out.len() as u64, first, next);
            let note = format!("[… {words} …]");
            missing = Some(words);
            note
        });
        Self { text: cut.unwrap_or(text), missing }
    }
}

fn never_kept(bytes: u64, first: u64, next: u64) -> String {
    format!(
        "{bytes} bytes were never kept: they begin in line {first} of the output, and what was \
         kept goes on in its line {next}"
    )
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Takes any amount of bytes and remembers a fixed number from each end.
pub(crate) struct HeadAndTail {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
    newlines: u64,
}

impl HeadAndTail {
    /// Remembers at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), half: limit / 2, total: 0, newlines: 0 }
    }

    /// Adds bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        self.newlines += newlines(bytes);
        let room = self.half - self.head.len();
        let (first, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(first);
        // Only the last `half` bytes of a large piece can survive, so the
        // others are never copied.
        let rest = &rest[rest.len().saturating_sub(self.half)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend(rest);
    }

    /// What is remembered. What may be half of a secret beside missing bytes is left out as well.
    pub(crate) fn kept(&self, secrets: &dyn Secrets) -> Kept {
        let (mut bytes, tail) = (self.head.clone(), Vec::from_iter(self.tail.iter().copied()));
        let dropped = self.total - (bytes.len() + tail.len()) as u64;
        if dropped == 0 {
            bytes.extend(tail);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return Kept { text, missing: None };
        }
        let (head, tail) = (String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&tail));
        let (head, unclear) = head.split_at(secrets.clear_until(&head));
        let edge = &tail[..tail.floor_char_boundary(EDGE.min(tail.len() / 2))];
        let (beside, tail) = tail.split_at(secrets.clear_until(edge));
        let missing = never_kept(
            dropped + (unclear.len() + beside.len()) as u64,
            newlines(head.as_bytes()) + 1,
            self.newlines - newlines(tail.as_bytes()) + 1,
        );
        Kept { text: format!("{head}\n[… {missing} …]\n{tail}"), missing: Some(missing) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::NoSecrets;

    #[test]
    fn no_half_of_a_secret_is_left_at_a_cut() {
        let text =
            format!("key={{\"a\":\"{}\"}} é {} end", "s3cret-".repeat(3), "t0ken/".repeat(3));
        for limit in 0..=text.len() + 1 {
            let (first, last) = (first_words(&text, limit), last_words(&text, limit));
            assert!(text.starts_with(first) && text.ends_with(last));
            assert!(first.len() <= limit && last.len() <= limit);
            for (word, shown) in
                [("s3cret-", first), ("t0ken/", first), ("s3cret-", last), ("t0ken/", last)]
            {
                let whole = shown.contains(&word.repeat(3));
                assert_eq!(shown.contains(&word[..2]), whole, "{limit}: {shown}");
            }
        }
        assert_eq!((first_words("a bc d", 4), last_words("a bc d", 4)), ("a bc", "bc d"));
    }

    /// Knows one secret.
    #[derive(Debug)]
    struct One(&'static str);

    impl Secrets for One {
        fn clean(&self, text: String) -> String {
            text.replace(self.0, "[redacted]")
        }

        fn clear_until(&self, text: &str) -> usize {
            let begins = |at: &usize| self.0.starts_with(&text[*at..]);
            (0..text.len()).find(begins).unwrap_or(text.len())
        }
    }

    #[test]
    fn no_half_of_a_secret_is_shown_beside_a_gap() {
        let secret = "s3cret-token";
        for before in 0..=secret.len() {
            let mut kept = HeadAndTail::new(200);
            kept.push(&[b'a'; 100][before..]);
            kept.push(secret.as_bytes());
            kept.push(&[b'b'; 500]);
            kept.push(secret.as_bytes());
            kept.push(&[b'c'; 100][before..]);
            let text = kept.kept(&One(secret)).text;
            assert!(text.starts_with("aaa") && text.ends_with("ccc"), "{text}");
            let clean = One(secret).clean(text);
            for part in [&secret[..3], &secret[secret.len() - 3..]] {
                assert!(!clean.contains(part), "{before}: {clean}");
            }
        }
    }

    #[test]
    fn short_text_is_left_alone() {
        assert_eq!(middle("abc", 3, |_, _| unreachable!()), None);
    }

    #[test]
    fn long_text_is_cut_at_line_ends() {
        let text: String = (1..=100).map(|n| format!("line {n}\n")).collect();
        let cut = middle(&text, 80, |_, gone| format!("[{}]", gone.lines().count()));
        let cut = cut.expect("it is too long");
        assert!(cut.starts_with("line 1\n") && cut.ends_with("line 100\n"));
        assert!(cut.lines().all(|line| line.starts_with("line ") || line.starts_with('[')));
    }

    #[test]
    fn characters_are_never_split() {
        let text = "ä".repeat(1000);
        for limit in 10..30 {
            assert!(middle(&text, limit, |_, _| "[…]".into()).is_some());
        }
    }

    #[test]
    fn memory_stays_the_same_however_much_comes() {
        let mut kept = HeadAndTail::new(100);
        for _ in 0..1000 {
            kept.push(&[b'x'; 333]);
        }
        kept.push(b"end");
        assert!(kept.tail.capacity() < 1024 && kept.head.capacity() < 1024);
        let text = kept.kept(&NoSecrets).text;
        assert!(text.ends_with("xend") && text.contains("bytes were never kept"));
    }

    #[test]
    fn what_is_missing_is_told_in_lines_of_the_whole() {
        let text: String = (1..=100).map(|n| format!("{n:07}\n")).collect();
        let kept = Kept::of(text.clone(), 160);
        let words = "648 bytes were never kept: they begin in line 11 of the output, and what was \
                     kept goes on in its line 92";
        assert_eq!(kept.missing.as_deref(), Some(words));
        assert!(kept.text.contains(&format!("0000010\n[… {words} …]\n0000092\n")), "{}", kept.text);
        assert_eq!(Kept::of(text, 800).missing, None);
    }

    #[test]
    fn nothing_is_lost_below_the_limit() {
        let mut kept = HeadAndTail::new(10);
        kept.push(b"12345678");
        kept.push(b"90");
        let kept = kept.kept(&NoSecrets);
        assert_eq!((kept.text.as_str(), kept.missing), ("1234567890", None));
    }
}
