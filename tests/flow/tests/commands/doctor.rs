//! `plancard doctor`: by the engine that runs, or by one of its own.

use crate::{plancard, said};
use flow::{Client, Place};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use support::{Recorded, Reply, Script, ScriptedModel, program};

/// An address at which nothing listens.
fn nowhere() -> String {
    let door = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    format!("http://{}/v1", door.local_addr().expect("it has a number"))
}

/// A model that answers everything with a word.
async fn talker() -> ScriptedModel {
    ScriptedModel::start(Script::from_fn(|_| Reply::text("ready"))).await
}

/// Two agents of a model that answers, one of which plans with a model that doesn't.
fn two_models(model: &ScriptedModel) -> Place {
    Place::new(&format!(
        "providers:\n  here: {{ type: openai, base_url: \"{}\" }}\n  \
         gone: {{ type: openai, base_url: \"{}\" }}\n\
         agents:\n  default: {{ model: here/small, plan_model: gone/large }}\n  \
         second: {{ model: here/small }}\n",
        model.base_url(),
        nowhere(),
    ))
}

fn json_of(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{error}: {}", said(bytes)))
}

#[tokio::test]
async fn without_a_running_plancard_it_starts_one_of_its_own_and_stops_it() {
    let model = talker().await;
    let place = two_models(&model);
    let ran = plancard(&place, &["doctor"]).await;
    let out = said(&ran.stdout);
    let data = place.data().canonicalize().unwrap();
    for words in [
        "is not running\n".to_owned(),
        format!("Data folder: {}\n", data.display()),
        "Sandbox: works\n".to_owned(),
        format!("✓ Configuration: {}\n", place.config().display()),
        "Agent default: here/small, plans with gone/large\n".to_owned(),
        "Agent second: here/small\n".to_owned(),
        "✓ here/small answers.\n  Doesn't call tools: it can only answer.\n".to_owned(),
        "✗ gone/large: nothing answers at ".to_owned(),
    ] {
        assert!(out.contains(&words), "{words:?} in {out}");
    }
    assert_eq!(ran.status.code(), Some(1), "a model does not answer");
    let asked = |request: &Recorded| request.texts("user").concat().contains("word ready");
    let asked = model.requests().iter().filter(|request| asked(request)).count();
    assert_eq!(asked, 1, "a model of two agents is asked once");
    assert_eq!(said(&ran.stderr), "");
    // The folder is free again.
    assert!(place.start().await.terminate().await.success());
}

#[tokio::test]
async fn a_running_plancard_is_asked_over_its_socket() {
    let model = talker().await;
    let place = two_models(&model);
    let serve = place.start().await;
    let ran = plancard(&place, &["doctor", "--model", "here/small"]).await;
    let out = said(&ran.stdout);
    assert!(out.contains("is running\n") && out.contains("✓ here/small answers.\n"), "{out}");
    assert!(!out.contains("gone/large:"), "only that one is asked: {out}");
    assert_eq!(ran.status.code(), Some(0));

    // It is asked how it is, and not another with a configuration of its own.
    let other = place.home().join("other.yaml");
    std::fs::write(&other, "caps: { steps: 0 }\n").unwrap();
    let other = other.display().to_string();
    let ran = plancard(&place, &["doctor", "--model", "here/small", "--config", &other]).await;
    assert!(said(&ran.stderr).contains(&format!("{other} is not what the running")));
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran.stdout));

    // Nobody named the usual one, so nothing is said of it.
    let mut command = place.command(&program("plancard"));
    command.args(["doctor", "--model", "here/small"]).env_remove("PLANCARD_CONFIG");
    let ran = command.output().await.unwrap();
    assert_eq!(said(&ran.stderr), "");
    assert!(serve.terminate().await.success());
}

#[tokio::test]
async fn a_configuration_that_is_not_there_is_said_to_be_missing() {
    let place = Place::new("");
    let nowhere = place.home().join("nowhere");
    let mut command = place.command(&program("plancard"));
    let ran = command.arg("doctor").env("PLANCARD_CONFIG", &nowhere).output().await.unwrap();
    let missing = nowhere.join("plancard.yaml").display().to_string();
    let out = said(&ran.stdout);
    assert!(out.contains(&format!("{missing} is not there; the defaults hold\n")), "{out}");
    let missing = nowhere.join("x.yaml").display().to_string();
    let ran = plancard(&place, &["doctor", "--config", &missing]).await;
    assert_eq!(ran.status.code(), Some(1), "one that was named has to be there");
    assert!(said(&ran.stdout).contains("cannot be read"), "{}", said(&ran.stdout));
}

#[tokio::test]
async fn for_programs_it_prints_one_object() {
    let model = talker().await;
    let place = two_models(&model);
    let alone = plancard(&place, &["doctor", "--json"]).await;
    let serve = place.start().await;
    let beside = plancard(&place, &["doctor", "--json"]).await;
    for (ran, running) in [(alone, false), (beside, true)] {
        let found = json_of(&ran.stdout);
        assert_eq!(found["running"], json!(running));
        assert_eq!(found["ok"], json!(false));
        assert_eq!(found["config"], json!(place.config()));
        assert_eq!((&found["errors"], &found["warnings"]), (&json!([]), &json!([])));
        assert_eq!(found.get("no_sandbox"), None);
        assert_eq!(
            found["agents"],
            json!([
                { "name": "default", "model": "here/small", "plan_model": "gone/large" },
                { "name": "second", "model": "here/small" }
            ])
        );
        let models: Vec<(&Value, &Value)> = found["models"]
            .as_array()
            .unwrap()
            .iter()
            .map(|model| (&model["model"], &model["ok"]))
            .collect();
        let wanted = [(&json!("here/small"), &json!(true)), (&json!("gone/large"), &json!(false))];
        assert_eq!(models, wanted);
        assert_eq!(found["models"][0]["profile"]["profile"]["tools"], "none");
        assert_eq!(found["models"][1]["code"], "MODEL_UNREACHABLE");
        assert_eq!(ran.status.code(), Some(1));
    }
    // What it says without the models is there for clients, too.
    let checkup = serve.client.get("/v1/checkup").await.ok();
    assert_eq!(checkup["agents"][0]["name"], "default");
}

#[tokio::test]
async fn a_bad_configuration_is_told_line_by_line_and_no_model_is_asked() {
    let place = Place::new("caps:\n  attempts: many\nagnets: {}\n");
    let ran = plancard(&place, &["doctor"]).await;
    let out = said(&ran.stdout);
    let file = place.config().display().to_string();
    assert!(out.contains(&format!("✗ Configuration: {file}\n")), "{out}");
    assert!(out.contains(&format!("  {file}:2: error: caps.attempts ")), "{out}");
    assert!(out.contains(&format!("  {file}:3: warning: agnets ")), "{out}");
    assert!(!out.contains("answers"), "{out}");
    assert_eq!(ran.status.code(), Some(1));
}

#[tokio::test]
async fn a_model_that_nobody_knows_is_said_to_be_unknown() {
    let place = Place::new("");
    let ran = plancard(&place, &["doctor", "--model", "nobody/x"]).await;
    let out = said(&ran.stdout);
    assert!(out.contains("✗ nobody/x: "), "{out}");
    assert_eq!(ran.status.code(), Some(1));
    let ran = plancard(&place, &["doctor"]).await;
    let out = said(&ran.stdout);
    assert!(out.contains("answers.") && ran.status.success(), "the tour needs nothing: {out}");
}

#[tokio::test]
async fn a_socket_that_was_left_behind_keeps_nobody_out() {
    let place = Place::new("");
    std::fs::create_dir(place.data()).unwrap();
    drop(UnixListener::bind(place.data().join("plancard.sock")).unwrap());
    let ran = plancard(&place, &["doctor"]).await;
    assert!(said(&ran.stdout).contains("is not running\n"), "{}", said(&ran.stderr));
    let serve = place.start().await;
    Client::on_socket(&place.data()).get("/v1/rooms").await.ok();
    assert!(serve.terminate().await.success());
}

/// As while it starts or stops: whoever has the folder is waited for, and then named.
#[tokio::test]
async fn one_that_holds_the_folder_and_does_not_answer_is_named() {
    let place = Place::new("");
    let held = engine::journal::FolderLock::take(&place.data()).unwrap();
    let ran = plancard(&place, &["doctor"]).await;
    let errors = said(&ran.stderr);
    assert!(errors.starts_with("plancard doctor: "), "{errors}");
    assert!(
        errors.contains("in use by another Plancard") && errors.contains("Quit it"),
        "{errors}"
    );
    assert_eq!((ran.status.code(), said(&ran.stdout).as_str()), (Some(1), ""));
    drop(held);
}
