use super::super::KnownStep;
use super::*;
use plan::FullStep;
use serde_json::json;

fn scene() -> Scene<'static> {
    let step = |n: u32| KnownStep {
        id: format!("s{n}"),
        text: format!("step number {n}"),
        in_progress: n == 2,
    };
    Scene {
        message: Some("Tidy up".to_owned()),
        steps: (1..=3).map(step).collect(),
        handed: false,
        is_command: &|_| false,
    }
}

fn wish(tool: &str, value: Value) -> Result<Wish, Misread> {
    read(tool, value, &scene()).map(|call| call.wish)
}

/// The goal and the words of the steps that were written.
fn written(tool: &str, value: Value) -> (String, Vec<String>) {
    match wish(tool, value.clone()) {
        Ok(Wish::Write(draft)) => {
            let texts = draft.steps.into_iter().map(|step| FullStep::from(step).text);
            (draft.goal, texts.collect())
        }
        other => panic!("{value}: {other:?}"),
    }
}

#[test]
fn a_plan_is_written_in_many_ways() {
    let expected = ("Tidy up".to_owned(), vec!["look".to_owned()]);
    for value in [
        json!({ "action": "write", "steps": ["look"] }),
        json!({ "action": "Create", "steps": ["look"], "goal": "" }),
        json!({ "steps": ["look"] }),
        json!({ "plan": ["look"] }),
        json!({ "tasks": "1. look" }),
        json!({ "plan": { "steps": ["look"] } }),
        json!({ "action": "write", "plan": { "steps": ["look"] } }),
        json!({ "arguments": { "action": "write", "steps": ["look"] } }),
        json!({ "input": "{\"steps\": [\"look\"]}" }),
        json!(["look"]),
        json!([{ "text": "look" }]),
        json!("{\"steps\": [\"look\"]}"),
        json!([{ "action": "write", "steps": ["look"] }]),
    ] {
        assert_eq!(written("plan", value), expected);
    }
    assert_eq!(written("write_plan", json!({ "steps": ["look"] })), expected);
    let titled = ("Title".to_owned(), vec!["look".to_owned()]);
    let submitted = json!({ "title": "Title", "steps": [{ "description": "look" }] });
    assert_eq!(written("submit_plan", submitted.clone()), titled);
    assert_eq!(written("write_plan", submitted), expected, "the person's words say more");
}

#[test]
fn a_long_message_becomes_a_goal_that_fits() {
    let long = Scene { message: Some("ä".repeat(9_000)), ..scene() };
    let call = read("write_plan", json!({ "steps": ["look"] }), &long).unwrap();
    let Wish::Write(draft) = call.wish else { panic!() };
    assert_eq!(draft.goal.chars().count(), GOAL_CHARS + 1);
    let none = Scene { message: None, ..scene() };
    let misread = read("write_plan", json!({ "steps": ["look"] }), &none).unwrap_err();
    assert_eq!(misread.field.as_deref(), Some("goal"));
}

#[test]
fn a_report_is_about_the_step_in_progress_unless_it_says_another() {
    let done = |step: StepRef, result: &str| {
        Ok(Wish::StepDone { step: Some(step), result: result.to_owned() })
    };
    let (s2, number) = (StepRef::Id("s2".into()), StepRef::Number(1));
    for (tool, value, expected) in [
        ("plan", json!({ "action": "step_done", "result": "ok" }), done(s2.clone(), "ok")),
        ("plan", json!({ "action": "mark-done", "step": null }), done(s2.clone(), "")),
        ("plan", json!({ "action": "done", "step": "1", "result": 3 }), done(number.clone(), "3")),
        ("plan", json!({ "step": 1, "result": "ok" }), done(number.clone(), "ok")),
        ("plan", json!({ "action": "update", "step": 1, "status": "Completed" }), done(number, "")),
        ("step_done", json!({}), done(s2.clone(), "")),
        ("step_done", json!({ "summary": "ok" }), done(s2.clone(), "ok")),
        ("step_done", json!({ "action": "step_done" }), done(s2, "")),
    ] {
        assert_eq!(wish(tool, value.clone()), expected, "{value}");
    }
    let none = Scene { steps: Vec::new(), ..scene() };
    let misread = read("step_done", json!({}), &none).unwrap_err();
    assert_eq!(misread.field.as_deref(), Some("step"));
    let handed = Scene { steps: Vec::new(), handed: true, ..scene() };
    let call = read("step_done", json!({}), &handed).unwrap();
    assert_eq!(call.wish, Wish::StepDone { step: None, result: String::new() });
}

#[test]
fn a_report_that_says_it_failed_is_a_failure_or_taught() {
    let failed = |error: &str, next| {
        let (step, error) = (Some(StepRef::Id("s2".into())), error.to_owned());
        Ok(Wish::StepFailed { step, error, next })
    };
    for (tool, value, expected) in [
        ("step_done", json!({ "success": false, "error": "E" }), failed("E", AfterFailure::Retry)),
        ("step_done", json!({ "status": "failed", "result": "no" }), {
            failed("no", AfterFailure::Retry)
        }),
        ("step_done", json!({ "error": "E" }), failed("E", AfterFailure::Retry)),
        ("plan", json!({ "action": "step_done", "error": "E", "next": "skip" }), {
            failed("E", AfterFailure::Skip)
        }),
        ("plan", json!({ "action": "done", "step": "s2", "status": "failed" }), {
            failed("", AfterFailure::Retry)
        }),
    ] {
        assert_eq!(wish(tool, value.clone()), expected, "{value}");
    }
    for (tool, value) in [
        ("step_done", json!({ "done": false })),
        ("step_done", json!({ "status": "in_progress" })),
        ("step_done", json!({ "status": "done", "error": "E" })),
        ("step_done", json!({ "steps": [1, 2] })),
        ("step_done", json!({ "step": 1, "percent": 50 })),
        ("plan", json!({ "action": "step_done", "next": "retry" })),
        ("plan", json!({ "action": "step_done", "result": "x", "edits": [{ "op": "remove" }] })),
        ("step_failed", json!({ "error": "E", "success": true })),
        ("plan", json!({ "action": "cancel", "step": 2 })),
        ("plan", json!({ "action": "run", "steps": ["x"] })),
    ] {
        assert!(wish(tool, value.clone()).is_err(), "{value}");
    }
    let fine = json!({ "status": "completed", "error": "none", "success": true, "steps": [] });
    assert!(matches!(wish("step_done", fine), Ok(Wish::StepDone { .. })));
}

#[test]
fn what_limits_a_whole_plan_leaves_its_steps_nothing_but_words() {
    let step = json!({ "text": "Sweep", "tool": "shell", "target": "rm -f *.txt" });
    let value = json!({ "steps": [step, "look"], "cwd": "sub", "status": "pending" });
    let call = read("write_plan", value, &scene()).unwrap();
    let Wish::Write(draft) = call.wish else { panic!() };
    let step = FullStep::from(draft.steps[0].clone());
    assert_eq!((step.tool, step.target), (None, None));
    assert_eq!(step.text, "Sweep (shell rm -f *.txt; cwd: sub)");
    assert!(call.warnings.iter().any(|warning| warning.starts_with("step 1: there is no `cwd`")));
}

#[test]
fn a_failure_is_tried_again_unless_it_says_something_else() {
    let failed = |next| {
        let (step, error) = (Some(StepRef::Id("s2".into())), "no".to_owned());
        Ok(Wish::StepFailed { step, error, next })
    };
    for (value, expected) in [
        (json!({ "error": "no" }), failed(AfterFailure::Retry)),
        (json!({ "reason": "no", "next": "Skip" }), failed(AfterFailure::Skip)),
        (json!({ "error": "no", "next": "replan" }), failed(AfterFailure::Revise)),
        (json!({ "error": "no", "next": "give up" }), failed(AfterFailure::Abort)),
    ] {
        assert_eq!(wish("step_failed", value), expected);
    }
    let misread = wish("step_failed", json!({ "error": "no", "next": "continue" })).unwrap_err();
    assert_eq!(misread.field.as_deref(), Some("next"));
}

#[test]
fn other_actions_go_by_other_words_and_a_persons_do_not() {
    assert_eq!(wish("plan", json!({ "action": "start" })), Ok(Wish::Run));
    assert_eq!(wish("plan", json!({ "action": "show" })), Ok(Wish::Status));
    let cancel = Wish::Cancel { reason: "enough".into() };
    assert_eq!(wish("plan", json!({ "action": "stop", "reason": "enough" })), Ok(cancel));
    for action in ["stop", "abort"] {
        let (step, error) = (Some(StepRef::Id("s2".into())), "no disk".to_owned());
        let failed = Wish::StepFailed { step, error, next: AfterFailure::Abort };
        let value = json!({ "action": action, "step": "s2", "error": "no disk" });
        assert_eq!(wish("plan", value), Ok(failed), "it is the step that failed");
    }
    for action in
        [json!("approve"), json!("resume"), json!("retry"), json!("todowrite"), json!(["write"])]
    {
        let misread = wish("plan", json!({ "action": action, "steps": ["x"] })).unwrap_err();
        assert_eq!(misread.field.as_deref(), Some("action"));
    }
    for wrong in [json!({}), json!({ "goal": "x" }), json!({ "step": 1 })] {
        assert_eq!(wish("plan", wrong).unwrap_err().field.as_deref(), Some("action"));
    }
    assert!(wish("step_done", json!({ "action": "cancel" })).is_err());
}

#[test]
fn a_revision_needs_its_edits() {
    let misread = wish("plan", json!({ "action": "revise", "steps": ["x"] })).unwrap_err();
    assert_eq!(misread.field.as_deref(), Some("edits"));
    let revise = json!({ "action": "change", "edits": { "op": "remove", "step": 3 } });
    assert!(matches!(wish("plan", revise), Ok(Wish::Revise { .. })));
}

#[test]
fn what_a_plan_has_not_is_left_out_and_told() {
    let value = json!({ "steps": ["x"], "mode": "fast", "budget": 3, "advance": "manual" });
    let call = read("write_plan", value, &scene()).unwrap();
    let Wish::Write(draft) = call.wish else { panic!() };
    assert_eq!((draft.mode, draft.advance), (None, Advance::Manual));
    assert_eq!(call.warnings.len(), 2, "{:?}", call.warnings);
}

#[test]
fn who_starts_the_next_step_is_never_guessed() {
    for unclear in [json!("ask"), json!("by hand"), json!(false), json!(["manual"])] {
        let value = json!({ "steps": ["x"], "advance": unclear });
        assert_eq!(wish("plan", value).unwrap_err().field.as_deref(), Some("advance"));
    }
    for (said, expected) in [("Manual", Advance::Manual), ("", Advance::Auto)] {
        let Ok(Wish::Write(draft)) = wish("plan", json!({ "steps": ["x"], "advance": said }))
        else {
            panic!("{said}")
        };
        assert_eq!(draft.advance, expected);
    }
}

#[test]
fn whether_a_call_writes_a_plan_is_known_before_it_is_read() {
    for (tool, arguments, expected) in [
        ("write_plan", "{", true),
        ("submit_plan", "{}", true),
        ("plan", r#"{"action": "create"}"#, true),
        ("plan", r#"{"steps": 3}"#, true),
        ("plan", r#"{"action": "revise"}"#, true),
        ("plan", r#"{"action": "step_done"}"#, false),
        ("plan", "{", false),
        ("shell", r#"{"action": "write"}"#, false),
    ] {
        assert_eq!(writes(tool, arguments), expected, "{tool} {arguments}");
    }
}
