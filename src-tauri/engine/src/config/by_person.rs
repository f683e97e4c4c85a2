//! Remembers which values the person's own file sets, so that the settings
//! screen can show them as fixed.

use std::collections::BTreeSet;

use super::tree::Node;

/// Paths that mean the same; a value set under one is set under the other.
const SAME: [(&str, &str); 5] = [
    ("caps.depth", "planner.maxDepth"),
    ("caps.parallelism", "planner.parallelism"),
    ("caps.timeout_ms", "planner.timeoutMs"),
    ("caps.council_seconds", "timeout_settings.orchestrator_timeout_seconds"),
    ("caps.council_restarts", "orchestrator.coordination.max_orchestration_restarts"),
];

/// The same within an agent.
const SAME_IN_AGENT: [(&str, &str); 3] =
    [("model", "backend.model"), ("cwd", "backend.cwd"), ("instructions", "system_message")];

/// Every path the person's file sets.
pub(super) fn paths(person: &Node) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    collect(person, "", &mut paths);
    for (one, other) in SAME {
        pair(&mut paths, one, other);
    }
    let agents = person.entries().iter().filter(|entry| entry.key == "agents");
    for agent in agents.flat_map(|entry| entry.value.entries()) {
        for (one, other) in SAME_IN_AGENT {
            let base = format!("agents.{}", agent.key);
            pair(&mut paths, &format!("{base}.{one}"), &format!("{base}.{other}"));
        }
    }
    paths
}

fn collect(node: &Node, path: &str, paths: &mut BTreeSet<String>) {
    for entry in node.entries().iter().filter(|entry| !entry.value.is_null()) {
        let below = match path {
            "" => entry.key.clone(),
            _ => format!("{path}.{}", entry.key),
        };
        collect(&entry.value, &below, paths);
        paths.insert(below);
    }
}

fn pair(paths: &mut BTreeSet<String>, one: &str, other: &str) {
    if paths.contains(one) || paths.contains(other) {
        paths.insert(one.to_owned());
        paths.insert(other.to_owned());
    }
}
