//! What a model was shown. A call that stood there is a quotation, whatever form it is quoted in.

use serde_json::Value;

use super::meaning::{GAP, Meaning, meant};
use super::{TextCall, TextCalls};

/// How far around a tool's name its arguments are looked for, beside their own length.
const AROUND: usize = 400;

/// Everything that a model was shown, in a form that quoting does not change: without blanks,
/// quotes and escapes, and with one sign between a name and its value.
#[derive(Debug, Default)]
pub struct Shown {
    text: String,
    /// The same in the form in which meanings are compared.
    meant: String,
    /// The folder that paths may begin with.
    root: String,
}

impl Shown {
    /// Nothing yet, in a folder that paths may begin with.
    pub fn within(root: &str) -> Self {
        Self { root: root.to_owned(), ..Self::default() }
    }

    /// Adds a text.
    pub fn add(&mut self, text: &str) {
        self.add_form(text);
        // As a page or an address writes it, and as a quotation or a comment of several lines.
        for other in [decoded(text), without_marks(text)].into_iter().flatten() {
            self.add_form(&other);
        }
    }

    fn add_form(&mut self, text: &str) {
        plain(text, None, &mut self.text);
        self.meant.push_str(&meant(text, &self.root));
        // So that nothing is found across two texts.
        self.text.push('\n');
        self.meant.push('\n');
    }

    /// Whether a call that means the same stood in what was shown: its tool near its fields, under
    /// any of their names, with whatever else.
    pub fn holds_meaning(&self, meaning: &Meaning) -> bool {
        let lengths = meaning.parts.iter().flatten().map(String::len);
        let near = |name: &String| {
            is_near(&self.meant, name, lengths.clone().sum(), |around| {
                let stands = |forms: &Vec<String>| forms.iter().any(|form| around.contains(form));
                meaning.parts.iter().all(stands)
            })
        };
        !meaning.parts.is_empty() && meaning.names.iter().any(near)
    }

    /// Whether this text stood in what was shown, as a whole.
    pub fn holds_text(&self, text: &str) -> bool {
        self.text.contains(&plainly(text))
    }

    /// Whether any of these calls stood in what was shown.
    pub fn holds(&self, read: &TextCalls) -> bool {
        self.holds_text(&read.block) || read.calls.iter().any(|call| self.holds_call(call))
    }

    /// Whether the tool's name stands near all arguments with these values.
    fn holds_call(&self, call: &TextCall) -> bool {
        let name = plainly(&call.name);
        let mut parts = Vec::new();
        if let Ok(value) = serde_json::from_str::<Value>(&call.arguments) {
            leaves(None, &value, &mut parts);
        }
        if parts.is_empty() {
            let empty = |key: &str| format!("{name},{key}:{{}}");
            let forms = [empty("arguments"), empty("parameters"), format!("{name}()")];
            return forms.iter().any(|form| self.text.contains(form));
        }
        let length = parts.iter().map(String::len).sum();
        is_near(&self.text, &name, length, |around| {
            parts.iter().all(|part| around.contains(part.as_str()))
        })
    }
}

/// Whether something of this length stands near a name.
fn is_near(text: &str, name: &str, length: usize, stands: impl Fn(&str) -> bool) -> bool {
    let reach = AROUND + 2 * length;
    text.match_indices(name).any(|(at, _)| {
        let from = text.floor_char_boundary(at.saturating_sub(reach));
        let to = text.floor_char_boundary((at + name.len()).saturating_add(reach));
        stands(&text[from..to])
    })
}

/// Every value with its name.
fn leaves(name: Option<&str>, value: &Value, parts: &mut Vec<String>) {
    let text = match value {
        Value::Object(fields) => {
            return fields.iter().for_each(|(name, value)| leaves(Some(name), value, parts));
        }
        Value::Array(items) => {
            return items.iter().for_each(|item| leaves(None, item, parts));
        }
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    };
    let part = name.map_or_else(|| plainly(&text), |name| plainly(&format!("{name}:{text}")));
    if !part.is_empty() {
        parts.push(part);
    }
}

/// The text with what stands for other signs in pages (`&quot;`) and addresses (`%22`) put back;
/// nothing where there is none.
fn decoded(text: &str) -> Option<String> {
    if !text.contains(['&', '%']) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['&', '%']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (sign, used) = sign(rest).unwrap_or((if rest.starts_with('&') { '&' } else { '%' }, 1));
        out.push(sign);
        rest = &rest[used..];
    }
    out.push_str(rest);
    Some(out)
}

/// The sign that a text begins with in another form, and how long that form is.
fn sign(text: &str) -> Option<(char, usize)> {
    const NAMED: [(&str, char); 6] = [
        ("&quot;", '"'),
        ("&apos;", '\''),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&amp;", '&'),
        ("&nbsp;", ' '),
    ];
    if let Some(hex) = text.strip_prefix('%') {
        let number = u8::from_str_radix(hex.get(..2)?, 16).ok().filter(u8::is_ascii)?;
        return Some((char::from(number), 3));
    }
    if let Some((name, sign)) = NAMED.iter().find(|(name, _)| text.starts_with(name)) {
        return Some((*sign, name.len()));
    }
    let (number, _) = text.strip_prefix("&#")?.split_once(';')?;
    let value = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some((char::from_u32(value)?, number.len() + 3))
}

/// The text without what marks its lines as a quotation, a comment or a list.
fn without_marks(text: &str) -> Option<String> {
    const MARKS: [char; 9] = ['>', '/', '#', '*', '|', '-', '+', ';', '%'];
    let bare = |line: &str| {
        line.trim_start_matches(|c: char| c.is_whitespace() || MARKS.contains(&c)).to_owned()
    };
    let marked = text.lines().any(|line| line.trim_start().starts_with(MARKS));
    marked.then(|| text.lines().map(bare).collect::<Vec<_>>().join("\n"))
}

fn plainly(text: &str) -> String {
    let mut out = String::new();
    plain(text, None, &mut out);
    out
}

/// The same with a sign for every blank and quote.
pub(super) fn gapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    plain(text, Some(GAP), &mut out);
    out
}

/// The same for a text however often it was escaped.
fn plain(text: &str, gap: Option<char>, out: &mut String) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let c = if c == '\\' {
            rest = rest.trim_start_matches('\\');
            let Some(escaped) = rest.chars().next() else { return };
            rest = &rest[escaped.len_utf8()..];
            match escaped {
                'n' | 't' | 'r' => {
                    out.extend(gap);
                    continue;
                }
                'u' => match rest.get(..4).and_then(|four| u32::from_str_radix(four, 16).ok()) {
                    Some(number) => {
                        rest = &rest[4..];
                        char::from_u32(number).unwrap_or(' ')
                    }
                    None => escaped,
                },
                _ => escaped,
            }
        } else {
            c
        };
        match c {
            '"' | '\'' | '`' | '“' | '”' | '‘' | '’' | '<' => out.extend(gap),
            '=' | '>' => out.push(':'),
            _ if c.is_whitespace() => out.extend(gap),
            _ => out.extend(c.to_lowercase()),
        }
    }
}
