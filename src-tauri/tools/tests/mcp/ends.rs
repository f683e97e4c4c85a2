//! Nothing of a server is left behind, however it ends.

use crate::desk::{Desk, desk, hostile, running, until};
use serde_json::json;
use tools::Profile;
use tools::mcp::{Place, State};

async fn up() -> (Desk, tools::mcp::Server, String) {
    let desk = desk();
    let (server, mark) = hostile(&[]);
    desk.list(&server).await.unwrap();
    assert!(!running(&mark).is_empty());
    (desk, server, mark)
}

#[tokio::test]
async fn a_cancelled_call_leaves_no_process() {
    let (desk, server, mark) = up().await;
    let cancel = desk.limits.cancel.clone();
    let call = desk.call(&server, "hang", json!({}));
    let stop = async {
        until("the call hangs", || desk.servers.said("hostile").contains("hanging")).await;
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(call, stop);
    assert_eq!(ended.unwrap_err().code(), "CANCELLED");
    assert_eq!(running(&mark), Vec::<i32>::new());
}

#[tokio::test]
async fn a_dropped_call_and_dropped_servers_leave_no_process() {
    let (desk, server, mark) = up().await;
    {
        let call = desk.call(&server, "hang", json!({}));
        tokio::pin!(call);
        let hangs = until("the call hangs", || desk.servers.said("hostile").contains("hanging"));
        tokio::select! {
            _ = &mut call => panic!("it hangs"),
            () = hangs => {}
        }
    }
    drop(desk);
    until("the processes are gone", || running(&mark).is_empty()).await;
}

#[tokio::test]
async fn ending_all_waits_until_nothing_is_left_and_nothing_starts_again() {
    let (desk, server, mark) = up().await;
    desk.servers.end_all().await;
    assert_eq!(running(&mark), Vec::<i32>::new());
    assert!(desk.list(&server).await.is_err());
    assert_eq!(running(&mark), Vec::<i32>::new());
}

#[tokio::test]
async fn one_that_is_still_starting_can_be_ended() {
    let desk = desk();
    let (server, mark) = hostile(&["--silent"]);
    let start = desk.list(&server);
    let end = async {
        until("it hangs at its start", || desk.servers.said("hostile").contains("hanging")).await;
        assert_eq!(desk.servers.health()[0].state, State::Starting);
        desk.servers.end_all().await;
    };
    let (started, ()) = tokio::join!(start, end);
    assert!(started.is_err());
    assert_eq!(running(&mark), Vec::<i32>::new());
}

#[tokio::test]
async fn one_killed_from_outside_is_started_again() {
    let (desk, server, mark) = up().await;
    for pid in running(&mark) {
        std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
    }
    until("it is gone", || running(&mark).is_empty()).await;
    until("that is seen", || desk.servers.health()[0].state == State::Resting).await;
    assert_eq!(desk.says(&server, "echo", json!({ "text": "back" })).await, "back");
    assert!(!running(&mark).is_empty());
}

#[tokio::test]
async fn each_workspace_and_profile_has_a_process_of_its_own() {
    let (mut desk, server, mark) = up().await;
    let one = running(&mark).len();
    desk.list(&server).await.unwrap();
    assert_eq!(running(&mark).len(), one, "the same place is the same process");
    desk.place.profile = Profile::Look;
    desk.list(&server).await.unwrap();
    assert_eq!(running(&mark).len(), 2 * one);
    let other = crate::desk::desk();
    let place = Place { workspace: other.place.workspace.clone(), profile: Profile::Look };
    desk.servers.list(&server, &place).await.unwrap();
    assert_eq!(running(&mark).len(), 3 * one);
    desk.servers.end_at(&desk.path()).await;
    assert_eq!(running(&mark).len(), one, "the other folder's stays");
}

#[tokio::test]
async fn a_shared_one_serves_every_workspace_from_an_empty_folder() {
    let desk = desk();
    std::fs::write(desk.path().join("private.txt"), "x").unwrap();
    let (mut server, mark) = hostile(&[]);
    server.share = true;
    desk.list(&server).await.unwrap();
    let one = running(&mark).len();
    let other = crate::desk::desk();
    let place = Place { workspace: other.place.workspace.clone(), profile: Profile::Look };
    desk.servers.list(&server, &place).await.unwrap();
    assert_eq!(running(&mark).len(), one);
    let args = json!({ "path": desk.path().join("private.txt") });
    let seen = desk.says(&server, "look_around", args).await;
    assert!(seen.contains(r#""hidden": false"#), "{seen}");
    let args = json!({ "path": "made.txt" });
    let failed = desk.call(&server, "write", args).await;
    assert!(failed.is_err(), "it can write nothing");
}

#[tokio::test]
async fn other_settings_are_another_process() {
    let (desk, _, mark) = up().await;
    let (other, other_mark) = hostile(&[]);
    desk.servers.keep_only(std::slice::from_ref(&other)).await;
    assert_eq!(running(&mark), Vec::<i32>::new());
    desk.list(&other).await.unwrap();
    assert!(!running(&other_mark).is_empty());
}

/// Names the server's mark when this test program is the one to be killed.
const TO_BE_KILLED: &str = "PLANCARD_TEST_MCP_MARK";

#[tokio::test]
async fn a_program_that_starts_one_and_waits() {
    // Only for the test below, which starts this one alone.
    let Ok(mark) = std::env::var(TO_BE_KILLED) else { return };
    let desk = desk();
    let (server, _) = hostile(&[&mark]);
    desk.list(&server).await.unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn nothing_outlives_us_when_we_are_killed() {
    let mark = format!("--killed-{}", std::process::id());
    let name = "ends::a_program_that_starts_one_and_waits";
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env(TO_BE_KILLED, &mark)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // Both halves of the sandbox, and the program in it: before that, a half
    // that was just made can't know yet that it is alone.
    until("the server is up", || running(&mark).len() >= 3).await;
    child.kill().unwrap();
    child.wait().unwrap();
    until("everything is gone", || running(&mark).is_empty()).await;
}
