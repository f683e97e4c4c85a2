//! Turns the lists some files use into maps by name, so that the two files can
//! be laid over each other key by key.

use super::report::Report;
use super::section::text_of;
use super::tree::{Entry, Node, Value};

/// Keys that may hold a list, and what names an item in it.
const LISTS: [(&str, &str); 2] = [("agents", "id"), ("mcp_servers", "name")];

/// The tree with its named lists as maps, a single `agent` as one of them.
pub(super) fn by_name(mut root: Node, report: &Report) -> Node {
    if let Value::Map(entries) = &mut root.value {
        single_agent(entries, report);
        for (key, name_key) in LISTS {
            for entry in entries.iter_mut().filter(|entry| entry.key == key) {
                map_by_name(&mut entry.value, key, name_key, report);
            }
        }
        for agents in entries.iter_mut().filter(|entry| entry.key == "agents") {
            own_servers(&mut agents.value, report);
        }
    }
    root
}

fn map_by_name(node: &mut Node, path: &str, name_key: &str, report: &Report) {
    if let Value::List(items) = &mut node.value {
        let items = std::mem::take(items);
        node.value = Value::Map(named(items, path, name_key, report));
    }
}

/// A file with one agent may say `agent:` in place of a list of one.
fn single_agent(entries: &mut Vec<Entry>, report: &Report) {
    let find = |key: &str| entries.iter().position(|entry| entry.key == key);
    let Some(single) = find("agent") else { return };
    if let Some(agents) = find("agents") {
        let line = entries[agents].key_at.line;
        let message =
            format!("is one agent, and there are agents on line {line}; keep one of them");
        report.error(entries[single].key_at, "agent", message);
        entries.remove(single);
        return;
    }
    let entry = &mut entries[single];
    entry.key = "agents".to_owned();
    if holds_several(&entry.value) {
        let message = "is one agent, and this holds agents by their names; write agents";
        return report.warning(entry.key_at, "agent", message);
    }
    if let Value::Map(inner) = &mut entry.value.value {
        if inner.iter().all(|one| one.key != "id") {
            let text = "default".to_owned();
            let name = Value::Scalar { text, plain: true, written: None };
            let value = Node { at: entry.value.at, value: name };
            inner.push(Entry { key: "id".to_owned(), key_at: entry.value.at, value });
        }
        let at = entry.value.at;
        let one = std::mem::replace(&mut entry.value, Node { at, value: Value::Null });
        entry.value.value = Value::List(vec![one]);
    }
}

/// Whether it is a map of agents by their names, and not one agent.
fn holds_several(node: &Node) -> bool {
    let Value::Map(entries) = &node.value else { return false };
    let is_agent = |entry: &Entry| match &entry.value.value {
        Value::Map(inner) => inner.iter().any(|one| one.key == "model" || one.key == "backend"),
        Value::Null | Value::List(_) | Value::Scalar { .. } => false,
    };
    entries.iter().any(is_agent) && entries.iter().all(|one| one.key != "backend" && is_agent(one))
}

/// An agent's backend may list servers, too.
fn own_servers(agents: &mut Node, report: &Report) {
    let Value::Map(agents) = &mut agents.value else { return };
    for agent in agents {
        let Value::Map(inner) = &mut agent.value.value else { continue };
        let backends = inner.iter_mut().filter(|entry| entry.key == "backend");
        for backend in backends {
            let Value::Map(inner) = &mut backend.value.value else { continue };
            for servers in inner.iter_mut().filter(|entry| entry.key == "mcp_servers") {
                let path = format!("agents.{}.backend.mcp_servers", agent.key);
                map_by_name(&mut servers.value, &path, "name", report);
            }
        }
    }
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
