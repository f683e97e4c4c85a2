//! Strings: what is between two quotes, as it was written.

use super::Unreadable;

/// Reads a string after its opening quote; gives its value and what follows the closing one.
pub(super) fn read(text: &str, quote: char) -> Result<(String, &str), Unreadable> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let Some(c) = rest.chars().next() else { return Err(Unreadable::CutOff) };
        rest = &rest[c.len_utf8()..];
        match c {
            _ if c == quote => return Ok((value, rest)),
            '\\' => rest = escaped(rest, &mut value)?,
            _ => value.push(c),
        }
    }
}

/// Reads what follows a backslash. Languages agree on these and on no others.
fn escaped<'a>(rest: &'a str, value: &mut String) -> Result<&'a str, Unreadable> {
    let Some(c) = rest.chars().next() else { return Err(Unreadable::CutOff) };
    let after = &rest[c.len_utf8()..];
    value.push(match c {
        '"' | '\'' | '\\' | '/' => c,
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => return unicode(after, value),
        _ => return Err(Unreadable::Escape(c)),
    });
    Ok(after)
}

/// Reads four digits, and four more where the first are half of a character.
fn unicode<'a>(rest: &'a str, value: &mut String) -> Result<&'a str, Unreadable> {
    let digits = |text: &'a str| -> Result<(u16, &'a str), Unreadable> {
        if text.len() < 4 && text.chars().all(|c| c.is_ascii_hexdigit()) {
            return Err(Unreadable::CutOff);
        }
        let four = text.get(..4).filter(|four| four.bytes().all(|b| b.is_ascii_hexdigit()));
        let number = four.and_then(|four| u16::from_str_radix(four, 16).ok());
        number.map(|number| (number, &text[4..])).ok_or(Unreadable::Escape('u'))
    };
    let half = || Unreadable::Half(rest[..4].to_owned());
    let (first, rest) = digits(rest)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        value.push(c);
        return Ok(rest);
    }
    let Some(second) = rest.strip_prefix("\\u") else { return Err(half()) };
    let (second, rest) = digits(second)?;
    match char::decode_utf16([first, second]).next() {
        Some(Ok(c)) => {
            value.push(c);
            Ok(rest)
        }
        Some(Err(_)) | None => Err(half()),
    }
}
