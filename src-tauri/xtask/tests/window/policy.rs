//! What `tauri.conf.json` and the crates allow the window.

use serde_json::{Value, json as value};

use crate::{files, json, text};

#[test]
fn the_content_policy_is_the_strict_one() {
    let security = json("tauri.conf.json")["app"]["security"].clone();
    let expected = value!({
        // Whatever is not named below: frames, objects, workers, media.
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "font-src": "'self'",
        "connect-src": "ipc:",
        // These three do not fall back to the default.
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    });
    // Nothing else is in there either: no asset protocol, no second policy, no capabilities.
    assert_eq!(security, value!({ "freezePrototype": true, "csp": expected }));
}

#[test]
fn there_is_one_window_with_our_page_and_no_global() {
    let app = json("tauri.conf.json")["app"].clone();
    assert_eq!(app["withGlobalTauri"], false);
    let windows = app["windows"].as_array().expect("a list");
    assert_eq!(windows.len(), 1);
    let looks = ["create", "height", "label", "minHeight", "minWidth", "title", "visible", "width"];
    for key in windows[0].as_object().expect("an object").keys() {
        assert!(looks.contains(&key.as_str()), "the window sets {key}, which may widen its walls");
    }
    assert_eq!(windows[0]["label"], "main");
    assert_eq!(json("tauri.conf.json")["build"]["frontendDist"], "ui/dist");
}

#[test]
fn nothing_dangerous_is_set() {
    let mut keys = Vec::new();
    collect_keys(&json("tauri.conf.json"), &mut keys);
    for key in keys {
        let small = key.to_lowercase();
        let bad = ["dangerous", "remote", "assetprotocol", "devtools", "pattern", "headers"];
        assert!(!bad.iter().any(|word| small.contains(word)), "tauri.conf.json sets {key}");
    }
}

#[test]
fn no_other_file_changes_the_configuration() {
    let is_config = |name: &str| {
        let name = name.to_lowercase();
        name.starts_with("tauri.") && name != "tauri.conf.json"
    };
    let entries = std::fs::read_dir(crate::root()).expect("the top can be read").flatten();
    let names = entries.map(|entry| entry.file_name().display().to_string());
    assert_eq!(names.filter(|name| is_config(name)).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn the_app_makes_no_other_window_and_runs_no_script_in_it() {
    let words = [
        // `from_config` makes the one that `tauri.conf.json` describes.
        "WebviewWindowBuilder::new",
        "WindowBuilder::new",
        "WebviewBuilder",
        "WebviewUrl",
        "initialization_script",
        "add_capability",
        "uri_scheme_protocol",
        ".eval(",
        ".navigate(",
        "open_devtools",
        "config_mut",
    ];
    for file in files("src-tauri/src", &[".rs"]) {
        let source = text(&file);
        for word in words {
            assert!(!source.contains(word), "{file} uses {word}");
        }
    }
}

#[test]
fn tauri_is_built_without_what_opens_the_window_up() {
    let manifest = text("Cargo.toml");
    let line = manifest.lines().find(|line| line.starts_with("tauri = ")).expect("it is there");
    for feature in ["devtools", "protocol-asset", "webview-data-url", "unstable", "isolation"] {
        assert!(!line.contains(feature), "tauri has the feature {feature}");
    }
}

fn collect_keys(value: &Value, keys: &mut Vec<String>) {
    if let Some(object) = value.as_object() {
        for (key, inner) in object {
            keys.push(key.clone());
            collect_keys(inner, keys);
        }
    }
    for inner in value.as_array().into_iter().flatten() {
        collect_keys(inner, keys);
    }
}
