//! What models put before the name of a tool.

/// Words that stand for "a tool of this program" in the formats that models learned from.
const PREFIXES: [&str; 7] =
    ["functions", "function", "tools", "tool", "default_api", "plancard", "api"];
/// What parts them from the name.
const BETWEEN: [&str; 5] = ["__", ".", "::", ":", "/"];

/// The name without such a word before it; `None` where there is none.
pub fn rest(name: &str) -> Option<&str> {
    PREFIXES.iter().find_map(|prefix| {
        let rest = name.strip_prefix(prefix)?;
        BETWEEN
            .iter()
            .find_map(|between| rest.strip_prefix(between))
            .filter(|rest| !rest.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_are_taken_off_and_only_once() {
        for (name, expected) in [
            ("functions.write_file", Some("write_file")),
            ("default_api:shell", Some("shell")),
            ("tools.plan", Some("plan")),
            ("functions::plan", Some("plan")),
            ("plancard__plan", Some("plan")),
            ("functions.functions.plan", Some("functions.plan")),
            ("files__read_file", None),
            ("toolshell", None),
            ("functions.", None),
            ("shell", None),
        ] {
            assert_eq!(rest(name), expected, "{name}");
        }
    }
}
