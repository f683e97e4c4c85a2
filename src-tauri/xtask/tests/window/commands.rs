//! Four lists of commands that have to be one.

use std::collections::BTreeSet;

use crate::{between, files, json, text};

#[test]
fn the_build_lists_the_commands_that_are_handled() {
    let source = text("src-tauri/build.rs");
    let list = between(&source, "const COMMANDS: [&str;", "];");
    let listed = names(list.split('"').skip(1).step_by(2).map(str::to_owned));
    assert_same("src-tauri/build.rs", &listed);
}

#[test]
fn the_one_capability_allows_the_commands_that_are_handled() {
    assert_eq!(files("src-tauri/capabilities", &[""]), ["src-tauri/capabilities/main.json"]);
    let capability = json("src-tauri/capabilities/main.json");
    let keys: Vec<&String> = capability.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["description", "identifier", "permissions", "windows"]);
    assert_eq!(capability["windows"], serde_json::json!(["main"]));
    // A permission with a scope would be an object, and has to be thought about first.
    let permissions = capability["permissions"].as_array().expect("a list").iter();
    let permissions = permissions.map(|name| name.as_str().expect("a name").to_owned());
    // Nothing is asked of Tauri itself.
    let (ours, others): (Vec<String>, Vec<String>) =
        permissions.partition(|name| name.starts_with("allow-"));
    assert_eq!(others, [""; 0]);
    let allowed = names(ours.iter().map(|name| name["allow-".len()..].replace('-', "_")));
    assert_same("src-tauri/capabilities/main.json", &allowed);
}

#[test]
fn the_page_calls_the_commands_that_are_handled() {
    let source = text("ui/src/lib/backend.ts");
    let mut called = BTreeSet::new();
    let mut computed = Vec::new();
    for word in ["invoke", "subscribe", "once", "single", "stream"] {
        for (at, _) in source.match_indices(word) {
            if source[..at].ends_with("function ") {
                continue;
            }
            let Some(argument) = first_argument(&source[at + word.len()..]) else { continue };
            match argument.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
                Some(name) => {
                    called.insert(name.to_owned());
                }
                None => computed.push(argument),
            }
        }
    }
    // `ask`, `once` and `single` hand their own argument on; every other name is written out.
    assert_eq!(computed, ["command"; 3]);
    assert_same("ui/src/lib/backend.ts", &called);
}

#[test]
fn commands_are_handled_in_one_place() {
    for file in files("src-tauri/src", &[".rs"]) {
        let source = text(&file);
        let is = |path: &str| file == format!("src-tauri/src/{path}");
        assert!(is("ipc.rs") || !source.contains("generate_handler"), "{file} handles commands");
        let may = is("lib.rs") || is("blank.rs");
        assert!(may || !source.contains("invoke_handler"), "{file} handles commands");
    }
    let blank = text("src-tauri/src/blank.rs");
    assert!(blank.contains(r#"let known = invoke.message.command() == "ui_ready";"#));
}

/// The commands of `ipc::handler`, without the modules they are in.
fn handled() -> BTreeSet<String> {
    let source = text("src-tauri/src/ipc.rs");
    let list = between(&source, "generate_handler![", "]");
    let lines = list.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code: String = lines.collect();
    let paths = code.split(',').map(str::trim).filter(|path| !path.is_empty());
    names(paths.map(|path| path.rsplit("::").next().unwrap_or(path).to_owned()))
}

/// A set of names, none of which comes twice.
fn names(list: impl Iterator<Item = String>) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    for name in list {
        assert!(set.insert(name.clone()), "{name} is listed twice");
    }
    assert!(!set.is_empty(), "no name was found");
    set
}

fn assert_same(place: &str, found: &BTreeSet<String>) {
    let handled = handled();
    let missing: Vec<&String> = handled.difference(found).collect();
    let extra: Vec<&String> = found.difference(&handled).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "{place} and the handler in src-tauri/src/ipc.rs differ\n  only handled: {missing:?}\n  only in {place}: {extra:?}"
    );
}

/// The first argument, if what follows a name is a call: `<T>('overview', …`.
fn first_argument(rest: &str) -> Option<&str> {
    let rest = match rest.strip_prefix('<') {
        Some(inside) => inside.split_once(">(")?.1,
        None => rest.strip_prefix('(')?,
    };
    rest.split([',', ')']).next().map(str::trim)
}
