//! The names of tools: a prefix, capital letters and dashes are the model's spelling.

use models::tool_name;

/// The tool of ours that a name spells, where it is exactly one. Which tool is meant is never
/// guessed: only the spelling may differ.
pub(crate) fn own_name<'a>(name: &str, ours: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.trim().trim_end_matches("()").trim_matches(['"', '\'', '`']);
    // A mark of the model's format, or the number of the call, behind it.
    let name = name.split("<|").next().unwrap_or(name);
    let name = match name.rsplit_once(':') {
        Some((own, number)) if number.bytes().all(|b| b.is_ascii_digit()) => own,
        Some(_) | None => name,
    };
    let rest = tool_name::rest(name).unwrap_or(name);
    let rest = tool_name::rest(rest).unwrap_or(rest);
    let (spelled, rest) = (spelling(name), spelling(rest));
    let mut found = ours.filter(|tool| {
        let own = spelling(tool);
        own == spelled || own == rest
    });
    match (found.next(), found.next()) {
        (Some(tool), None) => Some(tool),
        (Some(_), Some(_)) | (None, _) => None,
    }
}

fn spelling(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_be_spelled_in_other_ways_but_not_mean_another_tool() {
        let ours = ["write_file", "shell", "plan", "read_file"];
        let read = |name: &str| own_name(name, ours.into_iter());
        for (name, expected) in [
            ("write_file", Some("write_file")),
            ("functions.write_file", Some("write_file")),
            ("default_api:shell", Some("shell")),
            ("tools.plan", Some("plan")),
            ("plancard__plan", Some("plan")),
            ("Write-File", Some("write_file")),
            ("WriteFile", Some("write_file")),
            (" shell ", Some("shell")),
            ("`shell`", Some("shell")),
            ("shell()", Some("shell")),
            ("functions::shell", Some("shell")),
            ("shell(ls)", None),
            ("bash", None),
            ("write", None),
            ("read_files", None),
            ("read_fileread_file", None),
            ("write_file<|channel|>commentary", Some("write_file")),
            ("functions.read_file:0", Some("read_file")),
            ("functions:read_file:0", Some("read_file")),
            ("tools.functions.read_file", Some("read_file")),
            ("tools.functions.api.read_file", None),
            ("<|channel|>write_file", None),
            ("functions.read_file:shell", None),
            ("files__read_file", None),
            ("files.read_file", None),
            ("", None),
        ] {
            assert_eq!(read(name), expected, "{name}");
        }
    }
}
