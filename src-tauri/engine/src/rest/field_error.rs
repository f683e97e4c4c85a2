//! What is wrong with a value that was sent: which field, and what it takes, in our words. How the
//! value is read is nobody's business outside.

use std::fmt::Write;

/// What is wrong with a field of a body; `path` leads to it, and `why` is what the reader says.
pub(crate) fn in_body(path: &str, why: &str) -> String {
    let why = why.rsplit_once(" at line ").map_or(why, |(why, _)| why);
    let names = named(why);
    let field = Field::at(path);
    if why.starts_with("missing field") {
        return format!("{} is missing", field.inside(names.first().copied().unwrap_or_default()));
    }
    if why.starts_with("unknown field") {
        let (name, known) = names.split_first().unwrap_or((&"", &[]));
        let known = if known.is_empty() { "nothing".to_owned() } else { listed(known, "and") };
        return format!("`{name}` is not known here; this takes {known}");
    }
    if why.starts_with("unknown variant") {
        let (given, known) = names.split_first().unwrap_or((&"", &[]));
        return format!("{field} can't be `{given}`; it takes {}", listed(known, "or"));
    }
    if why.starts_with("duplicate field") {
        return format!("{} is there twice", field.inside(names.first().copied().unwrap_or("?")));
    }
    if let Some((given, wanted)) = mismatch(why) {
        return format!("{field} must be {}, not {}", wanted_words(wanted), given_words(given));
    }
    for (shape, words) in SHAPES {
        if why.ends_with(shape) {
            return format!("{field} can't be read: {words}");
        }
    }
    if why.contains("UUID") {
        return format!("{field} must be an id");
    }
    format!("{field} can't be used")
}

/// What is wrong with what stands behind the question mark.
pub(super) fn in_query(why: &str) -> String {
    if let Some(at) = why.find("unknown field") {
        return in_body(".", &why[at..]);
    }
    let field = why.strip_prefix("Failed to deserialize query string: ").unwrap_or(why);
    match field.split_once(": ") {
        Some((field, why)) if why.contains("digit") || why.contains("number") => {
            format!("`{field}` must be a whole number")
        }
        Some((field, _)) => format!("`{field}` can't be used"),
        None => "what stands behind the question mark can't be read".to_owned(),
    }
}

/// What only one kind of value can say of itself.
const SHAPES: [(&str, &str); 3] = [
    ("untagged enum DraftStep", "a step is words, or an object with `text`"),
    ("untagged enum StepRef", "a step is named by its id or its number"),
    ("untagged enum Verify", "a check is a command, or an object with `file`"),
];

/// A place in a body; all of it where there is no name.
struct Field<'a>(Option<&'a str>);

impl<'a> Field<'a> {
    fn at(path: &'a str) -> Self {
        // Inside of some shapes the place is not known.
        let path = path.trim_end_matches(['?', '.']);
        Self((!path.is_empty()).then_some(path))
    }

    /// The name of a field in it.
    fn inside(&self, name: &str) -> String {
        match self.0 {
            Some(path) => format!("`{path}.{name}`"),
            None => format!("`{name}`"),
        }
    }
}

impl std::fmt::Display for Field<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(path) => write!(out, "`{path}`"),
            None => out.write_str("the body"),
        }
    }
}

/// The names in backticks.
fn named(why: &str) -> Vec<&str> {
    why.split('`').skip(1).step_by(2).collect()
}

fn listed(names: &[&str], last: &str) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let before = match index {
            0 => String::new(),
            _ if index + 1 == names.len() => format!(" {last} "),
            _ => ", ".to_owned(),
        };
        let _ = write!(text, "{before}`{name}`");
    }
    text
}

/// What was given and what was wanted.
fn mismatch(why: &str) -> Option<(&str, &str)> {
    let rest = why.strip_prefix("invalid type: ").or_else(|| why.strip_prefix("invalid value: "));
    rest?.rsplit_once(", expected ")
}

fn given_words(given: &str) -> String {
    match given {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        "null" | "unit value" => "null".to_owned(),
        _ => match given.split_once(' ') {
            // The kind of the value, then the value.
            Some((_, value)) => value.trim_start_matches("point ").replace('`', ""),
            None => given.to_owned(),
        },
    }
}

fn wanted_words(wanted: &str) -> &'static str {
    let is_number = |wanted: &str| {
        let unsigned = ["u8", "u16", "u32", "u64", "usize"];
        unsigned.contains(&wanted)
    };
    match wanted {
        "a string" | "path string" | "a borrowed string" | "string or map" => "text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "i64" | "i32" => "a whole number",
        _ if is_number(wanted) => "a whole number from 0 on",
        _ if wanted.contains("UUID") => "an id",
        _ if wanted.starts_with("struct ") || wanted.contains("map") => "an object",
        _ if wanted.contains("tagged enum ") => "an object",
        _ => "something else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_named_and_so_is_what_it_takes() {
        for (path, why, words) in [
            (".", "missing field `text` at line 1 column 2", "`text` is missing"),
            ("edits[0]", "missing field `step`", "`edits[0].step` is missing"),
            (
                "x",
                "unknown field `x`, expected `a` or `b`",
                "`x` is not known here; this takes `a` and `b`",
            ),
            (
                "x",
                "unknown field `x`, there are no fields",
                "`x` is not known here; this takes nothing",
            ),
            (
                "mode",
                "unknown variant `now`, expected one of `off`, `soft`, `strict`",
                "`mode` can't be `now`; it takes `off`, `soft` or `strict`",
            ),
            ("text", "invalid type: integer `5`, expected a string", "`text` must be text, not 5"),
            (
                "text",
                "invalid type: sequence, expected a string at line 1 column 9",
                "`text` must be text, not a list",
            ),
            (
                "revision",
                "invalid value: integer `-1`, expected u32",
                "`revision` must be a whole number from 0 on, not -1",
            ),
            (
                "on",
                "invalid type: string \"no, expected x\", expected a boolean",
                "`on` must be true or false, not \"no, expected x\"",
            ),
            (
                ".",
                "invalid type: integer `5`, expected struct NewRoom",
                "the body must be an object, not 5",
            ),
            (
                "steps[1]",
                "data did not match any variant of untagged enum DraftStep",
                "`steps[1]` can't be read: a step is words, or an object with `text`",
            ),
            ("at", "who knows what", "`at` can't be used"),
        ] {
            assert_eq!(in_body(path, why), words);
        }
        let query = |why: &str| in_query(&format!("Failed to deserialize query string: {why}"));
        assert_eq!(query("limit: invalid digit found in string"), "`limit` must be a whole number");
        assert_eq!(
            query("unknown field `x`, expected `model`"),
            "`x` is not known here; this takes `model`"
        );
    }
}
