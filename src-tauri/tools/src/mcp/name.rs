//! The names of a server's tools: `server.tool` for us, and one that every
//! provider takes for the model.

/// The longest name that all providers take.
const LONGEST: usize = 64;
/// Characters of the mark that keeps changed names apart.
const MARK: usize = 6;

/// A tool's name as the model is told it. Names without a dot are our own
/// tools and stay as they are; so no server can take the name of one.
pub fn wire_name(tool: &str) -> String {
    let Some((server, name)) = split(tool) else { return tool.to_owned() };
    let plain = format!("{server}__{name}");
    let unmistakable = !server.contains("__") && !server.ends_with('_');
    if unmistakable && plain.len() <= LONGEST && plain.chars().all(is_safe) {
        return plain;
    }
    let mark = &blake3::hash(tool.as_bytes()).to_hex()[..MARK];
    let safe: String = plain.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
    let kept: String = safe.chars().take(LONGEST - MARK - 1).collect();
    format!("{kept}_{mark}")
}

/// The server and the tool in `server.tool`; `None` for a tool of our own.
pub fn split(tool: &str) -> Option<(&str, &str)> {
    tool.split_once('.').filter(|(server, name)| !server.is_empty() && !name.is_empty())
}

fn is_safe(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_can_be_read_and_our_own_stay() {
        assert_eq!(wire_name("files.read_file"), "files__read_file");
        assert_eq!(wire_name("read_file"), "read_file");
    }

    #[test]
    fn names_that_would_look_alike_are_kept_apart() {
        let alike = ["a.b__c", "a__b.c", "a_._b", "a.__b", "a.x y", "a.x.y", "a.x_y"];
        let names: std::collections::BTreeSet<String> =
            alike.iter().map(|tool| wire_name(tool)).collect();
        assert_eq!(names.len(), alike.len(), "{names:?}");
    }

    #[test]
    fn every_name_is_one_that_providers_take() {
        for tool in ["ä.ö", "s.".to_owned().as_str(), &format!("s.{}", "x".repeat(300)), "my s.t"]
        {
            let name = wire_name(tool);
            assert!(name.len() <= LONGEST, "{name}");
            assert!(split(tool).is_none() || name.chars().all(is_safe), "{name}");
        }
    }
}
