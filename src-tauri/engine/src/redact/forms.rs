//! The forms in which a secret is written: as it is, in quotes of a shell, in JSON, in an address
//! and in base64. Most secrets look the same in many of them, so each form is there once.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use std::fmt::Write as _;

/// A line of a secret of many lines counts by itself from this length on, if it has no blanks:
/// those of a key do, and words around it do not.
const LINE: usize = 16;

/// Every form of a secret, the secret itself first.
pub(super) fn of(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    forms.extend(lines(secret));
    forms.extend(in_shell(secret));
    // A command is often an argument in JSON, and such a text in JSON again.
    for _ in 0..2 {
        let again: Vec<String> = forms.iter().flat_map(|form| in_json(form)).collect();
        forms.extend(again);
        without_doubles(&mut forms);
    }
    forms.extend(in_address(secret));
    forms.extend(in_base64(secret));
    without_doubles(&mut forms);
    forms
}

fn without_doubles(forms: &mut Vec<String>) {
    let mut seen = std::collections::HashSet::new();
    forms.retain(|form| seen.insert(form.clone()));
}

fn lines(secret: &str) -> impl Iterator<Item = String> {
    let lines = secret.lines().map(str::trim);
    lines.filter(|line| line.len() >= LINE && !line.contains(' ')).map(str::to_owned)
}

/// Inside single quotes, in both usual ways; inside double quotes; inside `$'…'`; and with a
/// backslash before all that means something.
fn in_shell(secret: &str) -> [String; 5] {
    let escaped = |means: fn(char) -> bool| {
        let mut text = String::with_capacity(secret.len());
        for letter in secret.chars() {
            if means(letter) {
                text.push('\\');
            }
            text.push(letter);
        }
        text
    };
    let dollar = escaped(|letter| matches!(letter, '\\' | '\''));
    [
        secret.replace('\'', r"'\''"),
        secret.replace('\'', r#"'"'"'"#),
        escaped(|letter| matches!(letter, '\\' | '"' | '$' | '`')),
        dollar.replace('\n', r"\n").replace('\t', r"\t").replace('\r', r"\r"),
        escaped(|letter| letter.is_ascii() && !letter.is_ascii_alphanumeric() && !is_plain(letter)),
    ]
}

/// What a shell takes as it is.
fn is_plain(letter: char) -> bool {
    "_@%+=:,./-".contains(letter)
}

/// As most write it; with what could end a script written as numbers; and in ASCII alone.
fn in_json(text: &str) -> [String; 3] {
    let quoted = serde_json::Value::from(text).to_string();
    let usual = quoted[1..quoted.len() - 1].to_owned();
    let numbered = |means: fn(char) -> bool| {
        let mut text = String::with_capacity(usual.len());
        for letter in usual.chars() {
            match means(letter) {
                true => letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                    let _ = write!(text, "\\u{unit:04x}");
                }),
                false => text.push(letter),
            }
        }
        text
    };
    let (script, ascii) =
        (numbered(|letter| "<>&".contains(letter)), numbered(|letter| !letter.is_ascii()));
    [usual, script, ascii]
}

/// Percent signs, with large and small digits. Who writes them leaves other signs as they are: none,
/// those of a path, those that JavaScript leaves, and in forms a space is a plus.
fn in_address(secret: &str) -> Vec<String> {
    let mut forms = Vec::new();
    for left in ["", "/", "!'()*", "*"] {
        for small in [false, true] {
            let mut text = String::with_capacity(secret.len());
            for byte in secret.bytes() {
                let letter = char::from(byte);
                let plain = letter.is_ascii_alphanumeric() || "-._~".contains(letter);
                let _ = match (plain || left.contains(letter), small) {
                    (true, _) => write!(text, "{letter}"),
                    (false, true) => write!(text, "%{byte:02x}"),
                    (false, false) => write!(text, "%{byte:02X}"),
                };
            }
            forms.push(text.replace("%20", "+"));
            forms.push(text);
        }
    }
    forms
}

/// What base64 makes of it wherever it begins among other bytes: three bytes are four letters, and
/// letters that it shares with what is beside it are left out.
fn in_base64(secret: &str) -> Vec<String> {
    let mut forms = Vec::new();
    for (before, from) in [(0, 0), (1, 2), (2, 3)] {
        let bytes = [&[0; 2][..before], secret.as_bytes()].concat();
        let until = bytes.len() * 8 / 6;
        for text in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            forms.push(text[from..until].to_owned());
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::super::Redactor;
    use crate::config::Config;

    #[test]
    fn a_secret_is_known_however_it_is_quoted() {
        let rows = [
            ("plain", "s3cret-token", "s3cret-token"),
            ("single quotes", "it's my key", r"it'\''s my key"),
            ("other single quotes", "it's my key", r#"it'"'"'s my key"#),
            ("double quotes", r#"a"b$c`d\efgh"#, r#"a\"b\$c\`d\\efgh"#),
            ("dollar quotes", "it's\\one\nof\ttwo", r"it\'s\\one\nof\ttwo"),
            ("backslashes", "it's (my) key!", r"it\'s\ \(my\)\ key\!"),
            ("JSON", "say \"yes\"\\\nno", r#"say \"yes\"\\\nno"#),
            ("JSON in JSON", "say \"yes\"", r#"say \\\"yes\\\""#),
            ("shell in JSON", "it's my key", r"it'\\''s my key"),
            ("JSON for pages", "<a>&<b>-key", r"\u003ca\u003e\u0026\u003cb\u003e-key"),
            ("JSON in ASCII", "schlüssel-🔑", r"schl\u00fcssel-\ud83d\udd11"),
            ("address", "it's a/key\"&", "it%27s%20a%2Fkey%22%26"),
            ("address in small", "it's a/key\"&", "it%27s%20a%2fkey%22%26"),
            ("path", "it's a/key\"&", "it%27s%20a/key%22%26"),
            ("JavaScript", "it's a/key\"&", "it's%20a%2Fkey%22%26"),
            ("form", "it's a/key\"&", "it%27s+a%2Fkey%22%26"),
            ("a line of many", "first\nMIIEvQIBADANBgkq\nlast", "MIIEvQIBADANBgkq"),
        ];
        for (how, secret, written) in rows {
            let redactor = Redactor::new(vec![secret.to_owned()], &Config::default());
            let text = format!("<{written}>");
            assert_eq!(redactor.clean(text), "<[redacted]>", "{how}");
        }
    }

    #[test]
    fn a_secret_is_known_in_base64_wherever_it_begins() {
        use base64::Engine as _;
        use base64::engine::general_purpose::{STANDARD, URL_SAFE};
        for secret in ["s3cret-token", "\u{fffd}~~~???>>>", "it's \"my\"\n\\key"] {
            let redactor = Redactor::new(vec![secret.to_owned()], &Config::default());
            for before in ["", "u", "me", "us:", "user:"] {
                for after in ["", "\n", "!", "er", "and on"] {
                    let bytes = format!("{before}{secret}{after}");
                    for text in [STANDARD.encode(&bytes), URL_SAFE.encode(&bytes)] {
                        let clean = redactor.clean(text.clone());
                        // A letter at each end may hold bits of both.
                        let left = clean.replace("[redacted]", "").len() * 6 / 8;
                        let beside = before.len() + after.len() + 5;
                        assert!(clean.contains("[redacted]"), "{text}: {clean}");
                        assert!(left <= beside, "{text}: {clean}");
                    }
                }
            }
        }
    }

    #[test]
    fn words_of_a_long_secret_are_no_secrets() {
        let secret = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nshort\n".to_owned();
        let redactor = Redactor::new(vec![secret], &Config::default());
        for words in ["-----BEGIN PRIVATE KEY-----", "short", "a shorter one"] {
            assert_eq!(redactor.clean(words.to_owned()), words);
        }
    }
}
