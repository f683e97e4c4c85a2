//! Turns the lists some files use into maps by name, so that the two files can
//! be laid over each other key by key.

use super::report::Report;
use super::section::text_of;
use super::tree::{Entry, Node, Value};

/// Keys that may hold a list, and what names an item in it.
const LISTS: [(&str, &str); 2] = [("agents", "id"), ("mcp_servers", "name")];

/// The tree with its named lists as maps.
pub(super) fn by_name(mut root: Node, report: &Report) -> Node {
    if let Value::Map(entries) = &mut root.value {
        for (key, name_key) in LISTS {
            for entry in entries.iter_mut().filter(|entry| entry.key == key) {
                if let Value::List(items) = &mut entry.value.value {
                    let items = std::mem::take(items);
                    entry.value.value = Value::Map(named(items, key, name_key, report));
                }
            }
        }
    }
    root
}

fn named(items: Vec<Node>, key: &str, name_key: &str, report: &Report) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        let path = format!("{key}[{index}]");
        let at = item.at;
        let Value::Map(mut inner) = item.value else {
            report.error(at, &path, "is not a map; allowed: a map");
            continue;
        };
        let position = inner.iter().position(|entry| entry.key == name_key);
        let name_entry = position.map(|position| inner.remove(position));
        let name = name_entry.as_ref().and_then(|entry| text_of(&entry.value));
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            report.error(at, &path, format!("has no {name_key}"));
            continue;
        };
        if entries.iter().any(|entry| entry.key == name) {
            report.error(at, &path, format!("has the {name_key} {name:?}, which is taken already"));
            continue;
        }
        entries.push(Entry {
            key: name.to_owned(),
            key_at: at,
            value: Node { at, value: Value::Map(inner) },
        });
    }
    entries
}
