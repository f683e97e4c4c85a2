//! Where a value ends in a text that goes on after it.

use crate::Whole;

/// The length of the value in brackets that a text begins with. One whose brackets are not closed
/// reaches to the end of a text that is whole.
pub(super) fn of_brackets(text: &str, whole: Whole) -> Option<usize> {
    let mut open = Vec::new();
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            '"' | '\'' => skip_string(&mut rest, c)?,
            '{' => open.push('}'),
            '[' => open.push(']'),
            '(' => open.push(')'),
            '}' | ']' | ')' => {
                if open.pop() != Some(c) {
                    return None;
                }
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            _ if open.is_empty() => return None,
            _ => {}
        }
    }
    (whole == Whole::Yes && !open.is_empty()).then_some(text.len())
}

/// Where the next of these stands outside of strings and brackets.
pub(super) fn up_to(text: &str, ends: &[char]) -> Option<usize> {
    let mut deep = 0_usize;
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            _ if deep == 0 && ends.contains(&c) => return Some(at),
            '"' | '\'' => skip_string(&mut rest, c)?,
            '{' | '[' | '(' => deep += 1,
            '}' | ']' | ')' => deep = deep.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

fn skip_string(rest: &mut std::str::CharIndices<'_>, quote: char) -> Option<()> {
    while let Some((_, c)) = rest.next() {
        match c {
            '\\' => drop(rest.next()?),
            _ if c == quote => return Some(()),
            _ => {}
        }
    }
    None
}
