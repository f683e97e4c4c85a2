//! What a call means, whatever its fields are called and however its paths are written.

use super::shown::gapped;

/// Stands where blanks and quotes stood, until paths are put in order.
pub(super) const GAP: char = '\u{1}';

/// A call by what it does: its tool, and the fields that it can't do without.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meaning {
    /// The tool's name in its spellings.
    pub(super) names: Vec<String>,
    /// For each field, its value under every name that it goes by.
    pub(super) parts: Vec<Vec<String>>,
}

impl Meaning {
    /// A call of this tool. `root` is the folder that its paths may begin with.
    pub fn new<'a>(
        tool: &str,
        root: &str,
        fields: impl IntoIterator<Item = (Vec<&'a str>, String)>,
    ) -> Self {
        let names = spellings(tool);
        let mut parts = Vec::new();
        for (keys, value) in fields {
            let value = meant(&value, root);
            if value.is_empty() {
                continue;
            }
            let keys = keys.iter().flat_map(|key| spellings(key));
            let mut forms: Vec<String> = keys.map(|key| format!("{key}:{value}")).collect();
            if parts.is_empty() {
                // An argument without its name, which comes first.
                forms.extend(names.iter().map(|name| format!("{name}({value}")));
            }
            parts.push(forms);
        }
        Self { names, parts }
    }
}

/// A name in small letters, with and without what parts its words.
fn spellings(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let mut all = vec![name.clone(), name.replace('_', ""), name.replace('_', "-")];
    all.dedup();
    all
}

/// A text in the form in which meanings are compared: without blanks, quotes, escapes and lists,
/// and with the shortest form of each path.
pub(super) fn meant(text: &str, root: &str) -> String {
    let root = root.trim_end_matches('/');
    let mut plain = gapped(text);
    if !root.is_empty() {
        plain = plain.replace(&format!("{}/", gapped(root)), "");
    }
    let mut short = shortened(&plain);
    short.retain(|c| !matches!(c, GAP | '[' | ']' | ','));
    short
}

/// `./a`, `a//b`, `a/./b` and `c/../a` as `a` and `a/b`.
fn shortened(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut joined = false;
    for (at, part) in text.split('/').enumerate() {
        let begins = out.len() - last(&out).len();
        match part {
            _ if at == 0 => {}
            "" | "." => continue,
            ".." if !matches!(last(&out), "" | "." | "..") => {
                out.truncate(begins);
                joined = !out.ends_with('/');
                if !joined {
                    out.pop();
                }
                continue;
            }
            _ if joined => {}
            _ if last(&out) == "." => out.truncate(begins),
            _ => out.push('/'),
        }
        joined = false;
        // The path may end here, and with it the last `..` or `.`.
        let (head, rest) = part.split_at(part.find(is_end).unwrap_or(part.len()));
        match head {
            ".." if at > 0
                && !rest.is_empty()
                && !matches!(last(out.trim_end_matches('/')), "" | "..") =>
            {
                let kept = out.trim_end_matches('/');
                let kept = kept.len() - last(kept).len();
                out.truncate(kept);
                out.push_str(rest);
            }
            "." if at > 0 && !rest.is_empty() => {
                let kept = out.trim_end_matches('/').len();
                out.truncate(kept);
                out.push_str(rest);
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// Whether a path ends with this sign.
fn is_end(c: char) -> bool {
    c == GAP || ":,;|&(){}[]\n".contains(c)
}

/// The last part of the last path.
fn last(text: &str) -> &str {
    let from = text.rfind(|c: char| c == '/' || is_end(c));
    from.map_or(text, |at| &text[at + text[at..].chars().next().map_or(1, char::len_utf8)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_path_means_the_same() {
        for path in
            ["a.txt", "./a.txt", ".//a.txt", "x/../a.txt", "././a.txt", "/ws/a.txt", "/ws/./a.txt"]
        {
            assert_eq!(
                meant(&format!("{{\"path\": \"{path}\"}}"), "/ws"),
                "{path:a.txt}",
                "{path}"
            );
            assert_eq!(meant(&format!("rm {path} b"), "/ws/"), "rma.txtb", "{path}");
        }
        assert_eq!(meant("src/./a//b/../c.rs", ""), "src/a/c.rs");
        assert_eq!(meant("../a /b ~/c", ""), "../a/b~/c");
        assert_eq!(meant("['rm', 'a.txt']", ""), "rma.txt");
    }
}
