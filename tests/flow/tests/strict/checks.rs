//! The check of a step passes the gate like any call: where a person is to be asked, they are.

use crate::Scene;
use flow::Place;
use serde_json::{Value, json};
use support::{Reply, ScriptedModel, TempWorkspace, plan_write_with, step_done};

/// A step whose check is asked about by a rule of the person's.
async fn checking(then: Vec<Reply>) -> (Scene, Value) {
    let steps = json!([{ "text": "make it", "verify": "sh check.sh" }]);
    let mut script = vec![plan_write_with("goal", steps, json!({})), step_done("s1", "made")];
    script.extend(then);
    let model = ScriptedModel::start(script).await;
    let place = Place::new(&format!(
        "providers:\n  test: {{ type: openai, base_url: \"{}\" }}\nagents:\n  default:\n    \
         model: test/scripted\n    permissions: {{ ask: [\"shell(sh *)\"] }}\n",
        model.base_url()
    ));
    let workspace = TempWorkspace::new(&[("check.sh", "echo checked >> checks\n")]);
    let scene = Scene::at_home("off", model, place, workspace).await;
    scene.say("do it").await;
    let ask = scene.wait_asked("permission").await;
    assert!(ask["text"].as_str().unwrap().contains("its check"), "{ask}");
    assert!(ask["text"].as_str().unwrap().contains("sh check.sh"), "{ask}");
    assert!(!scene.workspace.has("checks"), "it waits for the answer");
    assert_eq!(scene.plan().await["steps"][0]["attempts"], 0, "to be asked is no failure");
    (scene, ask)
}

#[tokio::test]
async fn allowed_it_runs_and_the_step_is_done() {
    for word in ["allow", "always"] {
        let (scene, ask) = checking(vec![Reply::text("Done.")]).await;
        scene.answer(&ask, json!({ "answer": word })).await.ok();
        scene.until(0, "plan_done").await;
        assert_eq!(scene.workspace.read("checks"), "checked\n");
        assert_eq!(scene.count("ask_raised").await, 1);
    }
}

#[tokio::test]
async fn refused_it_does_not_run_and_the_step_stays_open() {
    let again = step_done("s1", "made after all");
    let (scene, ask) = checking(vec![again, Reply::text("Done.")]).await;
    scene.answer(&ask, json!({ "answer": "refuse" })).await.ok();
    let told = scene.model.request(2).await.tool_results().pop().unwrap();
    assert!(told.contains("refused this call"), "{told}");
    let second = scene.wait_asked("permission").await;
    assert_ne!(second["id"], ask["id"]);
    assert!(!scene.workspace.has("checks"));
    assert_eq!(scene.plan().await["steps"][0]["status"], "in_progress");
}

#[tokio::test]
async fn the_question_outlives_a_kill() {
    let (mut scene, ask) = checking(vec![Reply::text("Done.")]).await;
    scene.kill().await;
    assert_eq!(scene.asks().await, std::slice::from_ref(&ask));
    scene.answer(&ask, json!({ "answer": "allow" })).await.ok();
    scene.client().press(&scene.at("/plan/resume")).await.ok();
    scene.until(0, "plan_done").await;
    assert_eq!(scene.workspace.read("checks"), "checked\n");
}
