//! A workspace that is deleted, moved or replaced while it is in use.

use crate::support::{Desk, desk};
use serde_json::json;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tools::sandbox::{Bubblewrap, Confined, Job, Sandbox};
use tools::{ToolError, Toolbox, Workspace};

const WORDS: &str = "was deleted, moved or replaced, so nothing was done";

/// Takes the workspace away when all about it has been looked at, and nothing is mounted yet.
struct Vanishing {
    real: Bubblewrap,
    to: PathBuf,
}

impl Sandbox for Vanishing {
    fn command(&self, job: &Job<'_>) -> Result<Confined, ToolError> {
        let confined = self.real.command(job);
        std::fs::rename(job.workspace, &self.to).unwrap();
        confined
    }
}

fn vanishing(to: &Path) -> Toolbox {
    let home = std::env::home_dir().unwrap();
    let real = Bubblewrap::new(&home).unwrap();
    Toolbox::with_sandbox(Arc::new(Vanishing { real, to: to.to_owned() }))
}

#[tokio::test]
async fn a_command_whose_workspace_vanishes_while_it_starts_says_that() {
    for background in [false, true] {
        let mut desk = desk();
        let to = desk.outside.path().join("elsewhere");
        desk.toolbox = vanishing(&to);
        let call = json!({"command": "touch made", "background": background});
        let told = match desk.run("shell", call).await {
            Ok(_) => {
                let job = json!({"job": 1, "wait_seconds": 50});
                desk.run("job_output", job).await.unwrap().text
            }
            Err(error) => {
                assert_eq!(error.code(), "NO_FOLDER");
                error.to_string()
            }
        };
        assert!(told.contains(WORDS) && !told.contains("not available"), "{told}");
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), 0, "nothing was run");
    }
}

/// Three ways to lose it.
fn lose(desk: &Desk, how: &str) {
    let (root, outside) = (desk.ws.root(), desk.outside.path());
    match how {
        "deleted" => std::fs::remove_dir_all(root).unwrap(),
        "moved" => std::fs::rename(root, outside.join("moved")).unwrap(),
        "a link" => {
            std::fs::remove_dir_all(root).unwrap();
            symlink(outside, root).unwrap();
        }
        "another folder" => {
            std::fs::remove_dir_all(root).unwrap();
            std::fs::create_dir(root).unwrap();
            std::fs::write(root.join("a"), "of the other").unwrap();
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn no_tool_does_anything_in_a_workspace_that_is_not_in_its_place() {
    for how in ["deleted", "moved", "a link", "another folder"] {
        let desk = desk();
        desk.put("a", "1");
        std::fs::write(desk.outside.path().join("a"), "outside").unwrap();
        assert!(desk.ws.is_in_place());
        lose(&desk, how);
        assert!(!desk.ws.is_in_place(), "{how}");
        for (tool, args) in [
            ("shell", json!({"command": "rm -f a; touch made"})),
            ("shell", json!({"command": "rm -f a; touch made", "background": true})),
            ("shell", json!({"command": "cat a"})),
            ("read_file", json!({"path": "a"})),
            ("write_file", json!({"path": "made", "content": "x"})),
            ("edit_file", json!({"path": "a", "old": "outside", "new": "x"})),
            ("delete_file", json!({"path": "a"})),
            ("move_file", json!({"from": "a", "to": "made"})),
            ("create_directory", json!({"path": "made"})),
        ] {
            let error = desk.run(tool, args).await.unwrap_err();
            assert_eq!(error.code(), "NO_FOLDER", "{how}, {tool}: {error}");
            assert!(error.to_string().contains(WORDS), "{how}, {tool}: {error}");
        }
        let outside = std::fs::read_to_string(desk.outside.path().join("a")).unwrap();
        assert_eq!(outside, "outside", "{how}");
        assert!(!desk.outside.path().join("made").exists(), "{how}");
        assert!(!desk.path("made").exists(), "{how}");
        if how == "a link" {
            std::fs::remove_file(desk.ws.root()).unwrap();
        }
    }
}

/// What was known of linked files is about the folder that was there.
#[tokio::test]
async fn a_folder_that_took_the_place_of_the_workspace_is_looked_at_anew() {
    let mut desk = desk();
    // A small one is looked at each time anyway.
    let fill = |root: &Path| {
        for number in 0..3_000 {
            std::fs::write(root.join(number.to_string()), "").unwrap();
        }
    };
    fill(desk.ws.root());
    desk.shell("echo 1 > new").await;
    std::fs::remove_dir_all(desk.ws.root()).unwrap();
    std::fs::create_dir(desk.ws.root()).unwrap();
    fill(desk.ws.root());
    let outside = desk.outside.path().join("letter");
    std::fs::write(&outside, "letter").unwrap();
    std::fs::hard_link(&outside, desk.path("linked")).unwrap();
    desk.ws = Workspace::open(desk.ws.root()).unwrap();
    let output = desk.shell("echo attack > linked").await;
    assert!(output.text.contains("own now: linked)"), "{}", output.text);
    assert_eq!(desk.get("linked"), "attack\n");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "letter");
}
