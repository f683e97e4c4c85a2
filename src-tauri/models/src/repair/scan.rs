//! One pass over a text: tokens in, JSON out.

use std::collections::HashMap;

use super::{Unreadable, Whole, string};

/// How deep a value may be; the reader of the result has a limit, too.
const DEEPEST: usize = 100;
/// How much of a text is quoted where it can't be read.
const QUOTED: usize = 24;

/// A text of which a part has been read.
pub(super) struct Scan<'a> {
    rest: &'a str,
    out: String,
    open: Vec<Open>,
    next: Next,
}

/// A bracket that is open.
enum Open {
    List,
    /// With where the value of each name stands in what was written.
    Object {
        names: HashMap<String, (usize, usize)>,
        last: Option<(String, usize)>,
    },
}

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A value.
    Value,
    /// The first item of a list, or its end.
    FirstItem,
    /// Another item of a list; or its end, and the comma before was one too many.
    Item,
    /// The first name of an object, or its end.
    FirstName,
    /// Another name; or the end of the object, and the comma before was one too many.
    Name,
    /// The colon after a name.
    Colon,
    /// A comma, or a closing bracket.
    After,
    /// Nothing: the value is complete.
    Nothing,
}

impl<'a> Scan<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { rest: text, out: String::new(), open: Vec::new(), next: Next::Value }
    }

    /// The whole text as JSON.
    pub(super) fn json(mut self, whole: Whole) -> Result<String, Unreadable> {
        while self.next != Next::Nothing {
            self.skip()?;
            let Some(c) = self.rest.chars().next() else {
                self.close_all(whole)?;
                break;
            };
            self.step(c, whole)?;
        }
        self.end()?;
        match serde_json::from_str::<serde::de::IgnoredAny>(&self.out) {
            Ok(_) => Ok(self.out),
            Err(_) => Err(self.stray()),
        }
    }

    fn step(&mut self, c: char, whole: Whole) -> Result<(), Unreadable> {
        match (self.next, c) {
            (Next::FirstItem | Next::Item, ']') | (Next::FirstName | Next::Name, '}') => {
                self.take(c);
                self.close()
            }
            (Next::Value | Next::FirstItem | Next::Item, _) => {
                if self.next == Next::Item {
                    self.out.push(',');
                }
                self.value(c)
            }
            (Next::FirstName | Next::Name, _) => self.name(c),
            (Next::Colon, ':') => {
                self.take(c);
                self.out.push(':');
                self.next = Next::Value;
                let at = self.out.len();
                if let Some(Open::Object { last: Some((_, start)), .. }) = self.open.last_mut() {
                    *start = at;
                }
                Ok(())
            }
            (Next::After, ',') => {
                self.take(c);
                self.next = match self.open.last() {
                    Some(Open::List) => Next::Item,
                    Some(Open::Object { .. }) => Next::Name,
                    None => return Err(self.stray()),
                };
                Ok(())
            }
            (Next::After, '}' | ']') => self.bracket(c, whole),
            (Next::Colon | Next::After | Next::Nothing, _) => Err(self.stray()),
        }
    }

    fn value(&mut self, c: char) -> Result<(), Unreadable> {
        match c {
            '{' | '[' => {
                if self.open.len() == DEEPEST {
                    return Err(self.stray());
                }
                self.take(c);
                self.out.push(c);
                let (open, next) = match c {
                    '{' => (Open::Object { names: HashMap::new(), last: None }, Next::FirstName),
                    _ => (Open::List, Next::FirstItem),
                };
                self.open.push(open);
                self.next = next;
                Ok(())
            }
            '"' | '\'' => {
                let value = self.string(c)?;
                self.out.push_str(&quoted(&value));
                self.complete()
            }
            '-' | '0'..='9' => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
                let word = self.word(is_part);
                if serde_json::from_str::<serde_json::Number>(word).is_err() {
                    return Err(self.stray_word(word));
                }
                self.out.push_str(word);
                self.complete()
            }
            _ => {
                let word = self.word(is_name);
                let literal = match word {
                    "true" | "True" => "true",
                    "false" | "False" => "false",
                    "null" | "None" => "null",
                    _ => return Err(self.stray_word(word)),
                };
                self.out.push_str(literal);
                self.complete()
            }
        }
    }

    fn name(&mut self, c: char) -> Result<(), Unreadable> {
        let name = match c {
            '"' | '\'' => self.string(c)?,
            _ if c.is_ascii_alphabetic() || c == '_' => {
                let word = self.word(is_name).to_owned();
                // A name only where its colon follows.
                if !self.rest.trim_start().starts_with(':') {
                    return Err(self.stray_word(&word));
                }
                word
            }
            _ => return Err(self.stray()),
        };
        if self.next == Next::Name {
            self.out.push(',');
        }
        self.out.push_str(&quoted(&name));
        if let Some(Open::Object { last, .. }) = self.open.last_mut() {
            *last = Some((name, self.out.len()));
        }
        self.next = Next::Colon;
        Ok(())
    }

    /// A closing bracket after a value. One that is missing before it is put in.
    fn bracket(&mut self, c: char, whole: Whole) -> Result<(), Unreadable> {
        let fits = |open: Option<&Open>| match open {
            Some(Open::List) => c == ']',
            Some(Open::Object { .. }) => c == '}',
            None => false,
        };
        if !fits(self.open.last()) {
            let below = self.open.len().checked_sub(2).and_then(|below| self.open.get(below));
            if whole == Whole::Unknown || !fits(below) {
                return Err(self.stray());
            }
            self.close()?;
        }
        self.take(c);
        self.close()
    }

    /// Closes the last bracket.
    fn close(&mut self) -> Result<(), Unreadable> {
        match self.open.pop() {
            Some(Open::List) => self.out.push(']'),
            Some(Open::Object { .. }) => self.out.push('}'),
            None => return Err(self.stray()),
        }
        self.complete()
    }

    /// A value is complete: that of a name must not differ from one it had before.
    fn complete(&mut self) -> Result<(), Unreadable> {
        self.next = if self.open.is_empty() { Next::Nothing } else { Next::After };
        let end = self.out.len();
        let Some(Open::Object { names, last }) = self.open.last_mut() else { return Ok(()) };
        let Some((name, start)) = last.take() else { return Ok(()) };
        if let Some((from, to)) = names.get(&name)
            && self.out[*from..*to] != self.out[start..end]
        {
            return Err(Unreadable::Twice(name));
        }
        names.insert(name, (start, end));
        Ok(())
    }

    /// The text has ended: what is open is closed where nothing can be missing in it.
    fn close_all(&mut self, whole: Whole) -> Result<(), Unreadable> {
        if self.next != Next::After || whole == Whole::Unknown {
            return Err(Unreadable::CutOff);
        }
        while !self.open.is_empty() {
            self.close()?;
        }
        Ok(())
    }

    /// Nothing may follow but brackets that are too many, the end of a fence and marks of the
    /// model's own format.
    fn end(&mut self) -> Result<(), Unreadable> {
        loop {
            self.skip()?;
            let rest = self.rest.trim_start_matches(['}', ']']);
            let rest = rest.strip_prefix("```").unwrap_or(rest);
            let rest = after_mark(rest).unwrap_or(rest);
            if rest.len() == self.rest.len() {
                break;
            }
            self.rest = rest;
        }
        if self.rest.is_empty() { Ok(()) } else { Err(Unreadable::More(excerpt(self.rest))) }
    }

    /// Leaves out blanks and comments. A comment that may hold the rest of the value is none.
    fn skip(&mut self) -> Result<(), Unreadable> {
        loop {
            self.rest = self.rest.trim_start();
            let line = self.rest.starts_with("//") || self.rest.starts_with('#');
            let end = match (line, self.rest.strip_prefix("/*")) {
                (true, _) => self.rest.find('\n'),
                (false, Some(comment)) => comment.find("*/").map(|end| end + 4),
                (false, None) => return Ok(()),
            };
            let Some(end) = end else { return Err(self.stray()) };
            self.rest = &self.rest[end..];
        }
    }

    fn string(&mut self, quote: char) -> Result<String, Unreadable> {
        let (value, rest) = string::read(&self.rest[1..], quote)?;
        self.rest = rest;
        Ok(value)
    }

    fn word(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn take(&mut self, c: char) {
        self.rest = &self.rest[c.len_utf8()..];
    }

    /// A word that means nothing; at the very end it may be half of one.
    fn stray_word(&self, word: &str) -> Unreadable {
        match self.rest.is_empty() && !word.is_empty() {
            true => Unreadable::CutOff,
            false => Unreadable::Stray(excerpt(&format!("{word}{}", self.rest))),
        }
    }

    fn stray(&self) -> Unreadable {
        Unreadable::Stray(excerpt(self.rest))
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// What follows a mark such as `<|im_end|>` or `</tool_call>`.
fn after_mark(text: &str) -> Option<&str> {
    let (mark, rest) = match text.strip_prefix("<|") {
        Some(mark) => mark.split_once("|>")?,
        None => text.strip_prefix("</")?.split_once('>')?,
    };
    let is_word = !mark.is_empty() && mark.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_word.then_some(rest)
}

/// The beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    let plain = |c: char| if c.is_control() || c == '`' { ' ' } else { c };
    text.chars().take(QUOTED).map(plain).collect()
}
