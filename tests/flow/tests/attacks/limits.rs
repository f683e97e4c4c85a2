//! What an agent may use of the computer, with the real program: as whoever runs the tests, and as
//! an ordinary user without control groups.

use flow::{Place, Serve};
use serde_json::json;
use std::os::unix::fs::chown;
use std::path::Path;
use support::{Reply, ScriptedModel, TempWorkspace, program, wait_for};

const LIMITS: &str = "limits: { memory_mb: 64, all_memory_mb: 96, processes: 50 }";
/// A user of this number owns nothing.
const ORDINARY: u32 = 4321;

fn is_root() -> bool {
    Path::new("/proc/self")
        .metadata()
        .is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// What looks around is free before any plan, and is ended all the same.
#[tokio::test]
async fn a_command_that_takes_all_memory_is_ended_and_the_model_is_told_why() {
    for ordinary in [false, true] {
        let command = |text: &str| Reply::call("shell", json!({ "command": text }));
        let script = vec![command("tail /dev/zero"), command("echo alive"), Reply::text("done")];
        let model = ScriptedModel::start(script).await;
        let place = Place::with_model(&model, LIMITS);
        let workspace = TempWorkspace::new(&[]);
        let mut serve = place.serve();
        if ordinary && is_root() {
            // What was built may lie where only root gets.
            let own = place.home().join("programs");
            std::fs::create_dir(&own).unwrap();
            for name in ["plancard", "plancard-warden", "plancard-net"] {
                std::fs::copy(program(name), own.join(name)).unwrap();
            }
            serve = place.command(&own.join("plancard"));
            serve.arg("serve");
            let config = place.home().join("config");
            for path in [place.home(), &config, &place.config(), &workspace.path()] {
                chown(path, Some(ORDINARY), Some(ORDINARY)).unwrap();
            }
            serve.uid(ORDINARY).gid(ORDINARY).current_dir("/");
        }
        let serve = Serve::listening(serve).await;
        let body = json!({ "workspace": workspace.path(), "plan_mode": "strict" });
        let room = serve.client.post("/v1/rooms", body).await.ok();
        let messages = format!("/v1/rooms/{}/messages", room["id"].as_str().unwrap());
        serve.client.post(&messages, json!({ "text": "look" })).await.ok();
        wait_for(async || model.requests().len() == 3, "the model is told of both").await;
        let results = model.requests().pop().unwrap().tool_results();
        assert!(results[0].contains("64 MB of memory"), "{ordinary}: {results:?}");
        assert!(results[0].contains("`limits.memory_mb`"), "{ordinary}: {results:?}");
        assert!(results[1].contains("alive"), "{ordinary}: {results:?}");
        assert!(serve.terminate().await.success());
    }
}
