use super::*;
use serde_json::json;
use std::collections::BTreeSet;

fn args(tool: &str, sent: Value) -> Result<Value, Misread> {
    let text = sent.to_string();
    read(tool, sent, &text).map(|understood| understood.args)
}

/// The table says the same as what models are told.
#[test]
fn every_built_in_tool_has_its_fields_here() {
    for spec in tools::Toolbox::builtin().specs() {
        let shape = shape(spec.name).unwrap_or_else(|| panic!("{} is not read", spec.name));
        let names = |required: bool| -> BTreeSet<&str> {
            let fields = shape.fields.iter().filter(|field| field.required || !required);
            fields.map(|field| field.name).collect()
        };
        let told = spec.schema["properties"].as_object().unwrap();
        assert_eq!(names(false), told.keys().map(String::as_str).collect(), "{}", spec.name);
        let must = spec.schema["required"].as_array().into_iter().flatten();
        assert_eq!(names(true), must.filter_map(Value::as_str).collect(), "{}", spec.name);
    }
}

#[test]
fn no_name_means_two_fields() {
    for shape in SHAPES {
        let mut seen = BTreeSet::new();
        for field in shape.fields {
            for name in field.also.iter().chain([&field.name]) {
                assert!(seen.insert(*name), "{} {name}", shape.tool);
            }
        }
    }
}

#[test]
fn numbers_and_flags_may_be_text() {
    let sent = json!({ "path": "a", "start_line": "3", "line_count": 2.0, "start_byte": null });
    let expected = json!({ "path": "a", "start_line": 3, "line_count": 2 });
    assert_eq!(args("read_file", sent), Ok(expected));
    let sent = json!({ "command": "ls", "background": "True", "timeout_seconds": "1.5" });
    let expected = json!({ "command": "ls", "background": true, "timeout_seconds": 1.5 });
    assert_eq!(args("shell", sent), Ok(expected));
    for (field, value) in [
        ("start_line", json!("1-50")),
        ("start_line", json!(-1)),
        ("start_line", json!(1.5)),
        ("line_count", json!([1])),
    ] {
        let misread = args("read_file", json!({ "path": "a", field: value })).unwrap_err();
        assert_eq!(misread.field.as_deref(), Some(field));
    }
}

#[test]
fn a_list_of_words_is_one_command_with_each_word_kept() {
    for (words, expected) in [
        (json!(["ls", "-la", "src"]), "ls -la src"),
        (json!(["grep", "two words"]), "grep 'two words'"),
        (json!(["echo", "$HOME; ls"]), "echo '$HOME; ls'"),
        (json!(["ls; rm -r build"]), "'ls; rm -r build'"),
        (json!(["echo", "it's"]), "echo 'it'\\''s'"),
        (json!(["printf", "%s", ""]), "printf %s ''"),
        (json!(["A=1", "ls"]), "'A=1' ls"),
        (json!(["~/x"]), "'~/x'"),
    ] {
        assert_eq!(args("shell", json!({ "command": words })), Ok(json!({ "command": expected })));
    }
    for wrong in [json!([]), json!(["ls", 1]), json!(""), json!({ "a": 1 }), json!(1)] {
        assert!(args("shell", json!({ "command": wrong })).is_err());
    }
}

#[test]
fn a_missing_path_is_never_made_up() {
    for tool in ["read_file", "write_file", "edit_file", "delete_file", "create_directory"] {
        assert!(args(tool, json!({ "content": "x", "old": "a", "new": "b" })).is_err(), "{tool}");
        let misread = args(tool, json!({ "where": "a.txt" })).unwrap_err();
        assert_eq!(misread.field.as_deref(), Some("path"), "{tool}");
        assert!(args(tool, json!({ "path": "", "content": "x" })).is_err(), "{tool}");
        assert!(args(tool, json!({ "path": ["a"], "content": "x" })).is_err(), "{tool}");
        assert!(args(tool, json!({ "path": 1, "content": "x" })).is_err(), "{tool}");
    }
    assert_eq!(args("list_dir", json!({ "path": null })), Ok(json!({})));
}

/// The call of each tool that changes something, without anything that it does not have.
pub(in super::super) const CHANGING: [(&str, &str); 13] = [
    ("write_file", r#"{"path": "a", "content": "x"}"#),
    ("edit_file", r#"{"path": "a", "old": "x", "new": "y", "all": true}"#),
    ("create_directory", r#"{"path": "a"}"#),
    ("move_file", r#"{"from": "a", "to": "b"}"#),
    ("delete_file", r#"{"path": "a"}"#),
    ("shell", r#"{"command": "rm -f *.txt"}"#),
    ("job_stop", r#"{"job": 1}"#),
    ("fetch", r#"{"url": "https://a.example"}"#),
    (crate::sidekicks::SPAWN, r#"{"task": "Count"}"#),
    ("sidekick_complete", r#"{"summary": "3 files"}"#),
    (plan::council::SUBMIT, "{}"),
    (plan::council::RESTART, r#"{"reason": "x"}"#),
    (crate::council::START, r#"{"task": "x"}"#),
];

#[test]
fn a_tool_that_changes_something_refuses_what_it_does_not_have() {
    let refusing = SHAPES.iter().filter(|shape| shape.extra == Extra::Refused);
    let refusing: BTreeSet<&str> = refusing.map(|shape| shape.tool).collect();
    assert_eq!(refusing, CHANGING.iter().map(|(tool, _)| *tool).collect());
    for (tool, call) in CHANGING {
        let call: Value = serde_json::from_str(call).unwrap();
        for (key, value) in [
            ("pattern", json!("*.md")),
            ("name", json!("s.txt")),
            ("except", json!(["k.txt"])),
            ("chdir", json!("sub")),
            ("dryRun", json!(true)),
            ("confirm", json!(false)),
            ("max_replacements", json!(1)),
        ] {
            let mut with = call.clone();
            with[key] = value;
            let misread = args(tool, with.clone()).unwrap_err();
            assert_eq!(misread.field.as_deref(), Some(key), "{tool} {with}");
            assert!(misread.problem.contains(key), "{}", misread.problem);
        }
    }
}

#[test]
fn what_would_mean_something_else_is_refused_and_the_rest_is_left_out() {
    for (tool, sent, key) in [
        ("write_file", json!({ "path": "a", "content": "x", "append": true }), "append"),
        ("shell", json!({ "command": "rm", "args": ["-r", "build"] }), "args"),
        ("shell", json!({ "command": "make clean", "workDir": "build" }), "workDir"),
        ("delete_file", json!({ "path": "a", "recursive": false }), "recursive"),
        ("fetch", json!({ "url": "https://a.example", "method": "POST" }), "method"),
        ("spawn_sidekick", json!({ "task": "x", "read_only": true }), "read_only"),
        ("sidekick_complete", json!({ "summary": "no", "status": "hm" }), "failed"),
    ] {
        let misread = args(tool, sent).unwrap_err();
        assert_eq!(misread.field.as_deref(), Some(key));
        assert!(misread.problem.contains(key), "{}", misread.problem);
    }
    let sent = json!({ "command": "ls", "description": "looks", "explanation": "why" });
    let read = read("shell", sent.clone(), &sent.to_string()).unwrap();
    assert_eq!(read.args, json!({ "command": "ls" }));
    assert_eq!(read.warnings, ["shell has no `description`, `explanation`, so it was left out"]);
    let sent = json!({ "path": "a", "limit": 3 });
    let read = super::read("read_file", sent.clone(), &sent.to_string()).unwrap();
    assert_eq!(read.warnings, ["read_file has no `limit`, so it was left out"]);
    let misread = args("write_file", json!({ "where": "a", "content": "x" })).unwrap_err();
    assert_eq!(misread.problem, "`path` is missing, and there is no `where`");
}

#[test]
fn json_in_a_content_is_written_as_it_was_sent() {
    let text = r#"{"path": "a.json", "contents": {"b": 1, "a": [true]}}"#;
    let read = read("write_file", serde_json::from_str(text).unwrap(), text).unwrap();
    assert_eq!(read.args, json!({ "path": "a.json", "content": r#"{"b": 1, "a": [true]}"# }));
    assert_eq!(read.warnings.len(), 1);
    assert_eq!(args("write_file", json!({ "path": "a", "content": "" })), {
        Ok(json!({ "path": "a", "content": "" }))
    });
    assert!(args("edit_file", json!({ "path": "a", "old": ["x"], "new": "y" })).is_err());
}

#[test]
fn hosts_are_a_list_or_one() {
    let network = |value: Value| args("shell", json!({ "command": "ls", "network": value }));
    let one = json!({ "command": "ls", "network": ["a.example"] });
    assert_eq!(network(json!(["a.example"])), Ok(one.clone()));
    assert_eq!(network(json!("a.example")), Ok(one));
    for wrong in [json!(true), json!("a.example, b.example"), json!([1]), json!({})] {
        assert_eq!(network(wrong).unwrap_err().field.as_deref(), Some("network"));
    }
}

#[test]
fn questions_and_tasks_go_by_other_names() {
    assert_eq!(
        args("ask_user", json!({ "text": "Which?", "choices": [{ "label": "a" }, "b"] })),
        { Ok(json!({ "question": "Which?", "options": ["a", "b"] })) }
    );
    assert_eq!(args("spawn_sidekick", json!({ "prompt": "Count", "timeout": "60" })), {
        Ok(json!({ "task": "Count", "timeout": 60 }))
    });
    assert_eq!(args("sidekick_complete", json!({ "result": "3 files", "failed": "false" })), {
        Ok(json!({ "summary": "3 files", "failed": false }))
    });
    assert_eq!(args("sidekick_complete", json!({ "summary": "no", "success": false })), {
        Ok(json!({ "summary": "no", "failed": true }))
    });
    let sent = json!({ "path": "a", "content": "x", "overwrite": true, "mode": "w" });
    assert!(args("write_file", sent).is_ok(), "that is so anyway");
    for titled in
        [json!({ "description": "Review", "prompt": "Count" }), json!({ "description": "Count" })]
    {
        assert_eq!(args("spawn_sidekick", titled), Ok(json!({ "task": "Count" })));
    }
    let two = json!({ "task": "Review", "prompt": "Count" });
    assert!(args("spawn_sidekick", two).unwrap_err().problem.contains("`task`"));
    let moved = json!({ "from": "a", "to": "b" });
    assert_eq!(args("move_file", json!({ "source": "a", "destination": "b" })), Ok(moved));
    let all = json!({ "task": "x", "context_mode": "everything" });
    assert_eq!(args("spawn_sidekick", all).unwrap_err().field.as_deref(), Some("context_mode"));
}
