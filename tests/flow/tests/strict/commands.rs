//! An approved command is that command: in its folder, with its words. Every other way to run
//! something is asked about, and nothing is run before the answer.

use crate::Scene;
use flow::Place;
use serde_json::{Value, json};
use support::{Reply, ScriptedModel, TempWorkspace, plan_write_with, step_done};

const FILES: [(&str, &str); 5] = [
    ("run.sh", "echo top >> said\n"),
    ("vendor/evil/run.sh", "echo evil >> /tmp/x; cd ../..; echo evil >> said\n"),
    ("evil/run.sh", "cd ..; echo evil >> said\n"),
    ("build/a", ""),
    ("src/a", ""),
];

fn shell(command: &str) -> Reply {
    Reply::call("shell", json!({ "command": command }))
}

fn plan(target: &str) -> Reply {
    let steps = json!([{ "text": "run it", "tool": "shell", "target": target }]);
    plan_write_with("goal", steps, json!({}))
}

async fn refused(scene: &Scene, what: &str) {
    let ask = scene.wait_asked("drift").await;
    assert!(!scene.workspace.has("said"), "{what}: {ask}");
    scene.answer(&ask, json!({ "answer": "refuse" })).await.ok();
}

async fn approved(script: Vec<Reply>) -> Scene {
    let scene = Scene::new("strict", script, &FILES).await;
    scene.say("do it").await;
    let plan = scene.wait_for_plan().await;
    scene.approve(&plan).await.ok();
    scene
}

#[tokio::test]
async fn it_is_asked_about_in_another_folder_and_with_other_words_after_a_kill_too() {
    let attacks = [
        "cd vendor/evil; sh run.sh",
        "cd vendor/evil && sh run.sh",
        "cd vendor/evil\nsh run.sh",
        "cd nowhere || cd vendor/evil && sh run.sh",
        "cd vendor/evil && cd ../nowhere/..; sh run.sh",
        "export CDPATH=vendor && cd evil && sh run.sh",
        "pushd vendor/evil && sh run.sh",
        "sh run.sh CC=evil",
        "CC=evil sh run.sh",
        "sh run.sh *",
        "sh run.s?",
        "sh run.sh $(ls)",
        "env sh run.sh",
        "sh run.sh > said",
    ];
    let mut script = vec![plan("sh run.sh")];
    // With nothing but refused calls it would be stopped.
    let look = |at: usize| Reply::call("glob", json!({ "pattern": format!("{at}/*") }));
    let each = attacks.into_iter().enumerate();
    script.extend(each.map(|(at, attack)| look(at).and(shell(attack))));
    let elsewhere = json!({ "command": "sh run.sh", "folder": "vendor/evil" });
    script.push(Reply::call("shell", elsewhere));
    // Moving there is looking, and free.
    script.extend([shell("cd vendor/evil"), shell("sh run.sh")]);
    script.push(Reply::call("shell", json!({ "command": "sh run.sh", "folder": "." })));
    script.extend([step_done("s1", "ran"), Reply::text("Done.")]);
    let mut scene = approved(script).await;
    for (index, attack) in attacks.into_iter().enumerate() {
        if index == 1 {
            let ask = scene.wait_asked("drift").await;
            scene.kill().await;
            assert_eq!(scene.wait_asked("drift").await, ask);
        }
        refused(&scene, attack).await;
    }
    refused(&scene, "in another folder").await;
    let ask = scene.wait_asked("drift").await;
    assert!(ask["text"].as_str().unwrap().contains("vendor/evil"), "it says where: {ask}");
    refused(&scene, "after moving there").await;
    scene.until(0, "plan_done").await;
    assert_eq!(scene.workspace.read("said"), "top\n");
}

#[tokio::test]
async fn a_mark_allows_more_words_in_its_folder_alone() {
    let script = vec![
        plan("cd evil && sh run.sh …"),
        shell("cd evil && sh run.sh more"),
        shell("cd evil"),
        shell("sh run.sh other"),
        Reply::call("shell", json!({ "command": "sh run.sh more", "folder": "." })),
        step_done("s1", "ran"),
        Reply::text("Done."),
    ];
    let scene = approved(script).await;
    let ask = scene.wait_asked("drift").await;
    assert_eq!(scene.workspace.read("said"), "evil\nevil\n", "what was approved ran");
    scene.answer(&ask, json!({ "answer": "refuse" })).await.ok();
    scene.until(0, "plan_done").await;
    assert_eq!(scene.workspace.read("said"), "evil\nevil\n");
}

#[tokio::test]
async fn what_was_added_to_the_plan_has_no_more_words() {
    let script = vec![
        plan("ls"),
        shell("rm -rf build"),
        shell("rm -rf build src"),
        shell("cd src && rm -rf build"),
        shell("rm -rf build"),
        step_done("s1", "ran"),
        Reply::text("Done."),
    ];
    let scene = approved(script).await;
    let ask = scene.wait_asked("drift").await;
    let grant = |ask: &Value| ask["detail"].as_array().unwrap().last().unwrap()["value"].clone();
    assert_eq!(grant(&ask), "shell(cd . && rm -rf build)");
    scene.answer(&ask, json!({ "answer": "add" })).await.ok();
    for expected in ["shell(cd . && rm -rf build src)", "shell(cd src && rm -rf build)"] {
        let ask = scene.wait_asked("drift").await;
        assert_eq!(grant(&ask), expected);
        assert!(scene.workspace.has("src/a"));
        scene.answer(&ask, json!({ "answer": "refuse" })).await.ok();
    }
    scene.until(0, "plan_done").await;
    assert!(scene.workspace.has("src/a") && !scene.workspace.has("build/a"));
}

/// "Always" keeps the command in its folder, also after a restart.
#[tokio::test]
async fn what_is_always_allowed_is_that_command() {
    let script = vec![
        shell("sh run.sh"),
        shell("sh run.sh"),
        shell("sh run.sh more"),
        shell("cd vendor/evil && sh run.sh"),
        Reply::text("Done."),
        shell("sh run.sh; sh vendor/evil/run.sh"),
        Reply::text("Done."),
    ];
    let model = ScriptedModel::start(script).await;
    let place = Place::new(&format!(
        "providers:\n  test: {{ type: openai, base_url: \"{}\" }}\nagents:\n  default:\n    \
         model: test/scripted\n    permissions: {{ ask: [\"shell(sh *)\"] }}\n",
        model.base_url()
    ));
    let mut scene = Scene::at_home("off", model, place, TempWorkspace::new(&FILES)).await;
    scene.say("do it").await;
    let ask = scene.wait_asked("permission").await;
    scene.answer(&ask, json!({ "answer": "always" })).await.ok();
    for _ in ["with more words", "in another folder"] {
        let ask = scene.wait_asked("permission").await;
        assert_eq!(scene.workspace.read("said"), "top\ntop\n");
        scene.answer(&ask, json!({ "answer": "refuse" })).await.ok();
    }
    scene.wait_idle().await;
    assert_eq!(scene.view().await["rules"], json!(["shell(cd . && sh run.sh)"]));
    scene.restart().await;
    scene.say("and again").await;
    let ask = scene.wait_asked("permission").await;
    scene.answer(&ask, json!({ "answer": "refuse" })).await.ok();
    scene.wait_idle().await;
    assert_eq!(scene.workspace.read("said"), "top\ntop\n");
}
