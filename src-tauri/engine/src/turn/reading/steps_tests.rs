use super::*;
use plan::Verify;
use serde_json::json;

fn scene() -> Scene<'static> {
    let is_command = &|text: &str| text.starts_with("grep ");
    Scene { message: None, steps: Vec::new(), handed: false, is_command }
}

fn texts(value: Value) -> Vec<String> {
    let (steps, _) = read(value, &scene()).unwrap();
    steps.into_iter().map(|step| FullStep::from(step).text).collect()
}

fn full(value: Value) -> (FullStep, Vec<String>) {
    let (step, warnings) = one(value, &scene()).unwrap();
    (step.into(), warnings)
}

#[test]
fn steps_come_in_many_forms() {
    for value in [
        json!(["look", "sweep"]),
        json!(["1. look", "2. sweep"]),
        json!("1. look\n2. sweep"),
        json!("[\"look\", \"sweep\"]"),
        json!("['look', 'sweep',]"),
        json!("```json\n[{\"text\": \"look\"}, \"sweep\"]\n```"),
        json!([{ "description": "look" }, { "task": "sweep", "status": "pending" }]),
        json!(["{\"text\": \"look\"}", { "step": "sweep" }]),
        json!({ "step1": "look", "step2": { "name": "sweep" } }),
        json!([{ "action": "look" }, { "title": "", "content": "sweep" }]),
    ] {
        assert_eq!(texts(value.clone()), ["look", "sweep"], "{value}");
    }
    let ten: Map<String, Value> = (1..=10).map(|n| (n.to_string(), json!(n.to_string()))).collect();
    assert_eq!(texts(Value::Object(ten)).last().map(String::as_str), Some("10"));
    assert_eq!(texts(json!({ "text": "look" })), ["look"]);
    for again in
        [json!({ "steps": ["look", "sweep"] }), json!("{\"steps\": [\"look\", \"sweep\"]}")]
    {
        assert_eq!(texts(again.clone()), ["look", "sweep"], "{again}");
    }
    assert_eq!(texts(json!([{ "name": "N", "task": "sweep" }])), ["sweep"]);
}

#[test]
fn of_several_names_the_best_has_the_text() {
    let (step, warnings) = full(json!({ "title": "Folder", "description": "Make it", "step": 1 }));
    assert_eq!(step.text, "Make it");
    assert_eq!(warnings, ["step 1: `description` is its text, so `title` was left out"]);
}

#[test]
fn a_number_is_the_text_only_where_there_are_no_words() {
    for (value, text) in [
        (json!({ "step": "1", "action": "Create a.txt" }), "Create a.txt"),
        (json!({ "title": "Step 1", "task": "Create a.txt" }), "Create a.txt"),
        (json!({ "name": "#2", "details": "Create a.txt" }), "Create a.txt"),
        (json!({ "title": "Step 1: Create a.txt", "step": "1" }), "Step 1: Create a.txt"),
        (json!({ "title": "Step 1" }), "Step 1"),
    ] {
        let (step, warnings) = full(value.clone());
        assert_eq!((step.text.as_str(), warnings.len()), (text, 0), "{value}: {warnings:?}");
    }
}

#[test]
fn what_is_no_step_is_named() {
    for (value, field) in [
        (json!([]), "steps"),
        (json!(""), "steps"),
        (json!(3), "steps"),
        (json!("[\"look\", \"swe"), "steps"),
        (json!(["look", 3]), "steps"),
        (json!({ "a": "look" }), "steps"),
        (json!([{ "tool": "shell" }]), "text"),
        (json!([{ "text": "look", "verify": 1 }]), "verify"),
        (json!([{ "text": "look", "verify": { "file": "a", "command": "b" } }]), "verify"),
        (json!([{ "text": "look", "needs": { "a": 1 } }]), "needs"),
    ] {
        let misread = read(value.clone(), &scene()).unwrap_err();
        assert_eq!(misread.field.as_deref(), Some(field), "{value}");
    }
}

#[test]
fn a_check_that_cannot_be_read_names_its_step_and_an_empty_one_is_none() {
    let two = |verify: Value| json!(["look", { "text": "sweep", "verify": verify }]);
    let misread = read(two(json!(7)), &scene()).unwrap_err();
    assert!(misread.problem.starts_with("step 2: "), "{}", misread.problem);
    assert_eq!(read(two(json!({})), &scene()).unwrap().1, [""; 0]);
    let warned = read(two(json!(true)), &scene()).unwrap().1;
    assert!(warned[0].starts_with("step 2: `verify` says no check"), "{warned:?}");
    let (step, _) = full(json!({ "text": "a", "tool": "None" }));
    assert_eq!(step.tool, None, "none is no tool");
}

#[test]
fn needs_name_steps_in_many_ways() {
    let needs = |ids: [Value; 2], needs: Value| {
        let [first, second] = ids;
        let steps = json!([
            { "id": first, "text": "a" },
            { "id": second, "text": "b", "dependsOn": needs },
        ]);
        let (steps, _) = read(steps, &scene()).unwrap();
        FullStep::from(steps[1].clone()).needs
    };
    let one = vec![StepRef::Number(1)];
    let s = [json!("s1"), json!("s2")];
    for said in [json!([1]), json!(1), json!("1"), json!("step 1"), json!(["Step 1"])] {
        assert_eq!(needs(s.clone(), said.clone()), one, "{said}");
    }
    assert_eq!(needs(s.clone(), json!("s1")), [StepRef::Id("s1".into())]);
    assert_eq!(needs(s.clone(), json!("none")), []);
    assert_eq!(needs([json!(0), json!(1)], json!([0])), one, "counted from 0");
    assert_eq!(needs([json!("Step A"), json!("B")], json!(["Step A"])), one);
}

#[test]
fn a_check_in_words_is_the_expected_outcome() {
    let (step, warnings) = full(json!({ "text": "a", "verify": "the file is there" }));
    assert_eq!(step.expected_outcome.as_deref(), Some("the file is there"));
    assert_eq!((step.verify, warnings.len()), (None, 1));
    let both = json!({ "text": "a", "verify": "the file is there", "expected": "x" });
    let (step, warnings) = full(both);
    assert_eq!((step.expected_outcome.as_deref(), warnings.len()), (Some("x"), 1));
    let said = json!({ "text": "a", "verify": { "type": "manual", "description": "it is there" } });
    let (step, warnings) = full(said);
    assert_eq!((step.expected_outcome.as_deref(), warnings.len()), (Some("it is there"), 1));
    let (step, warnings) = full(json!({ "text": "a", "verify": "grep -q x y" }));
    assert_eq!(step.verify, Some(Verify::Command("grep -q x y".into())));
    assert_eq!((step.expected_outcome, warnings.len()), (None, 0));
}

#[test]
fn several_tools_or_targets_allow_nothing() {
    let (step, warnings) = full(json!({
        "text": "a", "tool": ["write_file", "shell"], "target": "src/**",
    }));
    assert_eq!((step.tool, step.target, warnings.len()), (None, None, 1));
    let (step, warnings) = full(json!({
        "text": "a", "tool": "write_file", "target": ["a.txt", "b.txt"],
    }));
    assert_eq!((step.tool.as_deref(), step.target), (Some("write_file"), None));
    assert_eq!(warnings.len(), 1);
    let (step, warnings) = full(json!({ "text": "a", "tool": ["shell"], "target": ["ls"] }));
    assert_eq!((step.tool.as_deref(), step.target.as_deref()), (Some("shell"), Some("ls")));
    assert!(warnings.is_empty());
    let (step, _) = full(json!({ "text": "a", "tool": {}, "target": "src/**" }));
    assert_eq!((step.tool, step.target), (None, None));
}

#[test]
fn a_field_that_may_limit_a_step_leaves_it_nothing_but_words() {
    for (value, text) in [
        (
            json!({ "text": "a", "tool": "shell", "target": "rm -f *.txt", "cwd": "sub" }),
            "a (shell rm -f *.txt; cwd: sub)",
        ),
        (
            json!({ "text": "a", "tool": "delete_file", "target": "sub", "except": ["k"] }),
            "a (delete_file sub; except: [\"k\"])",
        ),
        (
            json!({ "text": "a", "tool": "delete_file", "target": "sub", "name": "s.txt" }),
            "a (delete_file sub; name: s.txt)",
        ),
        (
            json!({ "name": "s.txt", "tool": "delete_file", "target": "sub" }),
            "s.txt (delete_file sub; name: s.txt)",
        ),
        (json!({ "text": "a", "target": "**", "exclude": "b" }), "a (**; exclude: b)"),
        (json!({ "text": "a", "verify": "grep x *", "folder": "sub" }), "a (folder: sub)"),
    ] {
        let (step, warnings) = full(value.clone());
        assert_eq!((step.tool, step.target, step.verify), (None, None, None), "{value}");
        assert_eq!(step.text, text);
        assert!(warnings.last().is_some_and(|warning| warning.contains("there is no")), "{value}");
    }
    let (step, warnings) = full(json!({
        "text": "a", "tool": "shell", "target": "ls", "command": "ls", "priority": 1, "title": "y",
    }));
    assert_eq!((step.target.as_deref(), step.text.as_str()), (Some("ls"), "a"));
    assert_eq!(warnings, ["step 1: `text` is its text, so `title` was left out"]);
}

#[test]
fn what_a_step_has_not_is_left_out_and_told() {
    let (_, warnings) = full(json!({ "text": "a", "priority": "high", "cost": 3 }));
    assert_eq!(warnings, ["step 1: has no `cost`, so it was left out"]);
}

#[test]
fn a_file_that_is_to_run_is_told_apart_and_stays_as_it_was_written() {
    let (step, warnings) = full(json!({ "text": "a", "tool": "shell", "target": "version.txt" }));
    assert_eq!(
        (step.tool.as_deref(), step.target.as_deref()),
        (Some("shell"), Some("version.txt"))
    );
    assert!(warnings.len() == 1 && warnings[0].contains("edit_file"), "{warnings:?}");
    for (tool, target) in [
        ("shell", "grep x version.txt"),
        ("shell", "./build.sh"),
        ("shell", "cargo *"),
        ("shell", "make"),
        ("write_file", "version.txt"),
    ] {
        let (_, warnings) = full(json!({ "text": "a", "tool": tool, "target": target }));
        assert!(warnings.is_empty(), "{target}: {warnings:?}");
    }
}

#[test]
fn steps_of_the_instructions_example_are_no_plan() {
    for name in ["small", "small, strict", "small, splitting"] {
        let words = crate::turn::prompt::part(name);
        let example = &words[words.find("{\"steps\"").expect("an example")..];
        let mut values = serde_json::Deserializer::from_str(example).into_iter::<Value>();
        let mut example = values.next().unwrap().unwrap();
        let misread = read(example["steps"].take(), &scene()).unwrap_err();
        assert!(misread.problem.contains("the form you were shown"), "{name}");
    }
    let own = json!(["Put <b> around the title in a.html", "<what I want>"]);
    assert_eq!(texts(own), ["Put <b> around the title in a.html", "<what I want>"]);
}
