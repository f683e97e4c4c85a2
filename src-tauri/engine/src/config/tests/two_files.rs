use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use expect_test::expect;
use tempfile::TempDir;

use super::super::*;
use super::load_both;

#[test]
fn the_person_wins_key_by_key() {
    let loaded = load_both(
        "caps: { steps: 5 }\nagents: { b: { model: rehearsal/mine } }\nui:\n",
        "caps: { steps: 9, attempts: 4 }
agents:
  a: { model: rehearsal/first }
  b: { model: rehearsal/theirs, plan_mode: soft }
ui: { theme: dark }
",
    );
    let config = loaded.unwrap().config;
    assert_eq!((config.caps.steps, config.caps.attempts), (5, 4));
    assert_eq!(config.ui.theme, Theme::Dark);
    let b = config.agent("b").unwrap();
    assert_eq!((b.model.model.as_str(), b.plan_mode), ("mine", plan::PlanMode::Soft));
    let order: Vec<&str> = config.agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(order, ["b", "a"]);
}

#[test]
fn the_person_wins_under_another_name_too() {
    let person =
        "planner: { maxDepth: 2 }\nagents: [{ id: a, backend: { type: openai, model: gpt-5 } }]\n";
    let settings = "caps: { depth: 7 }\nagents: { a: { model: rehearsal/tour } }\n";
    let config = load_both(person, settings).unwrap().config;
    assert_eq!(config.caps.depth, 2);
    assert_eq!(config.default_agent().model, ModelRef::new("openai", "gpt-5"));
    for path in ["caps.depth", "planner.maxDepth", "agents.a.model", "agents.a"] {
        assert!(config.set_by_person(path), "{path}");
    }
    for path in ["caps.steps", "agents.a.plan_mode", "agents.b", ""] {
        assert!(!config.set_by_person(path), "{path}");
    }
}

#[test]
fn a_server_is_reached_the_way_the_person_says() {
    let person = "mcp_servers: { files: { command: files } }";
    let settings = "mcp_servers: [{ name: files, url: 'http://127.0.0.1:9000', trusted: true }]";
    let servers = load_both(person, settings).unwrap().config.mcp_servers;
    let transport = McpTransport::Process {
        command: "files".into(),
        args: Vec::new(),
        env: BTreeMap::new(),
        cwd: None,
        read: Vec::new(),
    };
    let trusted = true;
    assert_eq!(
        servers["files"],
        McpServer { transport, trusted, share: false, effects: BTreeMap::new() }
    );
}

#[test]
fn problems_name_the_file_they_are_in() {
    let errors = load_both("caps: { steps: 0 }", "\ncaps: { attempts: 0 }").unwrap_err();
    expect![[r#"
        plancard.yaml:1: caps.steps is 0; allowed: a whole number from 1 to 1000
        settings.yaml:2: caps.attempts is 0; allowed: a whole number from 1 to 100"#]]
    .assert_eq(&errors.to_string());
}

#[test]
fn a_named_file_has_to_be_there_and_brings_the_settings_beside_it() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("mine.yaml");
    let errors = Config::load_file(&file).unwrap_err();
    assert!(errors.to_string().starts_with("mine.yaml: cannot be read: "), "{errors}");

    fs::write(&file, "caps: { steps: 3 }").unwrap();
    fs::write(folder.path().join(SETTINGS_FILE), "caps: { attempts: 4 }").unwrap();
    fs::write(folder.path().join(PERSON_FILE), "caps: { repeats: 5 }").unwrap();
    let caps = Config::load_file(&file).unwrap().config.caps;
    assert_eq!((caps.steps, caps.attempts, caps.repeats), (3, 4, 3));
}

#[test]
fn a_folder_may_be_missing() {
    let folder = TempDir::new().unwrap();
    let loaded = Config::load(&folder.path().join("nowhere")).unwrap();
    assert_eq!(loaded, Loaded::default());
}

#[test]
fn what_is_there_but_cannot_be_read_is_an_error() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(PERSON_FILE), b"\xff\xfe\x00").unwrap();
    fs::create_dir(folder.path().join(SETTINGS_FILE)).unwrap();
    assert_eq!(Config::load(folder.path()).unwrap_err().0.len(), 2);
}

#[test]
fn the_last_good_configuration_is_kept() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join(PERSON_FILE);
    fs::write(&file, "caps: { steps: 5 }").unwrap();
    let store = ConfigStore::open(ConfigPlace::Folder(folder.path().to_owned()));
    assert_eq!(store.current().config.caps.steps, 5);
    assert_eq!(store.reload(), Reloaded::Same);

    fs::write(&file, "caps: { steps: none }").unwrap();
    let Reloaded::Kept { errors } = store.reload() else {
        panic!("a bad file was taken");
    };
    assert_eq!(store.errors(), Some(errors));
    assert_eq!(store.current().config.caps.steps, 5);

    fs::write(&file, "caps: { steps: 6 }").unwrap();
    assert_eq!(store.reload(), Reloaded::Changed);
    assert_eq!(store.errors(), None);
    assert_eq!(store.current().config.caps.steps, 6);
}

#[test]
fn a_bad_file_at_the_start_lets_nothing_run_until_it_is_mended() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join(PERSON_FILE);
    fs::write(&file, "caps: 3").unwrap();
    let store = ConfigStore::open(ConfigPlace::Folder(folder.path().to_owned()));
    let closed = store.current().config.closed.clone();
    let errors = store.errors().expect("it is bad").to_string();
    assert!(closed.is_some_and(|why| why.ends_with(&errors)));
    assert_eq!(store.current().config.default_agent().plan_mode, plan::PlanMode::Strict);

    fs::write(&file, "caps: { steps: 3 }").unwrap();
    assert_eq!(store.current().config.closed, None);
    assert_eq!(store.current().config.default_agent().plan_mode, plan::PlanMode::Off);
}

#[test]
fn an_error_that_is_no_longer_in_the_file_is_not_said() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join(PERSON_FILE);
    fs::write(&file, "caps: 3").unwrap();
    let store = ConfigStore::open(ConfigPlace::Folder(folder.path().to_owned()));
    let mut changes = store.changes();

    fs::write(&file, "caps: { steps: none }\nui: { theme: pink }").unwrap();
    let errors = store.errors().expect("it is still bad");
    assert_eq!(errors.0.len(), 2);
    let closed = store.current().config.closed.clone().expect("nothing runs by it");
    let lines: Vec<&str> = closed.lines().collect();
    assert!(lines[0].ends_with("mend it first:"), "{closed}");
    assert_eq!(lines[1..], errors.0.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert!(!changes.has_changed().unwrap());

    fs::write(&file, "caps: { steps: 3 }").unwrap();
    assert_eq!(store.errors(), None);
    assert!(changes.has_changed().unwrap());
    assert_eq!(store.current().config.caps.steps, 3);

    // What is good is in use until someone asks what the files say.
    changes.mark_unchanged();
    fs::write(&file, "caps: { steps: 12 }").unwrap();
    assert_eq!(store.current().config.caps.steps, 3);
    store.look_again();
    assert_eq!(store.current().config.caps.steps, 12);
    changes.mark_unchanged();
    store.look_again();
    assert!(!changes.has_changed().unwrap());
}

#[test]
fn the_place_comes_from_the_environment() {
    let place = |set: &[(&str, &str)]| {
        ConfigPlace::from_env(|name| {
            let found = set.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        })
    };
    let folder = |path: &str| Some(ConfigPlace::Folder(PathBuf::from(path)));
    assert_eq!(place(&[]), None);
    assert_eq!(place(&[("HOME", "/home/me")]), folder("/home/me/.config/plancard"));
    assert_eq!(
        place(&[("HOME", "/home/me"), ("XDG_CONFIG_HOME", "/etc/mine")]),
        folder("/etc/mine/plancard")
    );
    assert_eq!(
        place(&[("HOME", "/home/me"), ("XDG_CONFIG_HOME", "mine")]),
        folder("/home/me/.config/plancard")
    );
    assert_eq!(place(&[("HOME", "/home/me"), ("PLANCARD_CONFIG", "/srv/p")]), folder("/srv/p"));
    assert_eq!(
        place(&[("PLANCARD_CONFIG", "/srv/p.yaml")]),
        Some(ConfigPlace::File(PathBuf::from("/srv/p.yaml")))
    );
}
