//! What a person allows by hand after they approved a plan is on record.

use engine::export;
use flow::House;
use plan::{Command, Event, PlanMode, StepRef};
use serde_json::json;
use support::{Reply, plan_write_with, step_done};

/// An approved plan of one step that names nothing, while its agent is silent.
async fn approved(then: Vec<Reply>) -> House {
    let plan = plan_write_with("goal", json!([{ "text": "tidy up" }]), json!({}));
    let mut script = vec![plan, Reply::text("Well.").hold_after(1)];
    script.extend(then);
    let house = House::configured(script, "", &[("a.md", "one")]).await;
    house.mode(PlanMode::Strict).await;
    house.say("go").await;
    house.wait("approval", |event| matches!(event, Event::ApprovalRequested)).await;
    let plan = house.plan();
    let (revision, hash) = (plan.revision, plan.hash);
    let yes = Command::Approve { revision, hash, model: None, fresh_context: false };
    house.person(yes).await.unwrap();
    house.model.request(1).await;
    house
}

async fn ended(house: &House) {
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
}

#[tokio::test]
async fn the_hand_switch_is_in_the_record_the_report_and_the_export() {
    let write = Reply::call("write_file", json!({ "path": "new.md", "content": "x" }));
    let mut house = approved(vec![write, step_done("s1", "tidied")]).await;
    let switch = Command::LetChange { step: StepRef::Number(1), on: true, seen: Some(1) };
    house.person(switch).await.unwrap();
    assert_eq!(house.plan().state, "running", "a grant by hand needs no second yes");
    house.model.release();
    ended(&house).await;
    assert!(house.workspace.has("new.md"));
    house.restart().await;
    let plan = house.plan();
    let approval = plan.approval.as_ref().unwrap();
    assert_eq!(approval.scope, ["may change the workspace"]);
    let line = &plan.report.as_ref().unwrap().lines[0];
    assert_eq!(line.amended, approval.amended);
    assert_eq!((line.amended.len(), line.amended[0].by.principal.as_str()), (1, "me"));
    let text = export::markdown(&plan);
    let told = "- step 1: `read only` → `may change the workspace`, by me, 20";
    assert!(text.contains(told), "{text}");
}

#[tokio::test]
async fn an_edit_that_failed_touched_nothing() {
    let edit = json!({ "path": "a.md", "old": "not there", "new": "x" });
    let house = approved(vec![Reply::call("edit_file", edit), step_done("s1", "hm")]).await;
    let switch = Command::LetChange { step: StepRef::Number(1), on: true, seen: Some(1) };
    house.person(switch).await.unwrap();
    house.model.release();
    house.wait("edit", |event| matches!(event, Event::CallBegan { .. })).await;
    house.wait_idle().await;
    house.person(Command::Cancel { reason: "enough".into(), call: None }).await.unwrap();
    let line = house.plan().report.unwrap().lines.remove(0);
    assert!(!line.touched && line.beyond.is_empty(), "{line:?}");
}

#[tokio::test]
async fn what_a_command_wrote_before_it_failed_counts() {
    let command = json!({ "command": "echo x > half.md; exit 3" });
    let house = approved(vec![Reply::call("shell", command), step_done("s1", "hm")]).await;
    let switch = Command::LetChange { step: StepRef::Number(1), on: true, seen: Some(1) };
    house.person(switch).await.unwrap();
    house.model.release();
    house.wait("command", |event| matches!(event, Event::CallBegan { .. })).await;
    house.wait_idle().await;
    house.person(Command::Cancel { reason: "enough".into(), call: None }).await.unwrap();
    assert!(house.workspace.has("half.md"));
    assert!(house.plan().report.unwrap().lines[0].touched);
}
