//! Sidekicks that change files beside others work in copies of their own.

use super::{all, log, now, requests, spawn, wait_state, wait_told};
use flow::{House, me};
use plan::{Command, Event, RoomId};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use support::{
    Recorded, Reply, Script, plan_write_with, sidekick_complete, spawn_sidekick, wait_for,
};

/// A plan whose steps all run at once.
pub(super) fn parallel(steps: Value) -> Reply {
    plan_write_with("the goal", steps, json!({ "mode": "parallel" }))
}

pub(super) fn write(path: &str, content: &str) -> Reply {
    Reply::call("write_file", json!({ "path": path, "content": content }))
}

pub(super) fn edit(path: &str, old: &str, new: &str) -> Reply {
    Reply::call("edit_file", json!({ "path": path, "old": old, "new": new }))
}

pub(super) fn shell(command: &str) -> Reply {
    Reply::call("shell", json!({ "command": command }))
}

/// The copies there are.
pub(super) fn copies(data: &Path) -> Vec<String> {
    let found = std::fs::read_dir(data.join("copies")).into_iter().flatten().flatten();
    found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

pub(super) async fn wait_no_copies(data: &Path) {
    wait_for(async || copies(data).is_empty(), "no copy to be left").await;
}

/// Lets everything go on until the plan is in a state.
pub(super) async fn release_until(house: &House, state: &str) {
    wait_for(
        async || {
            house.model.release();
            house.plan().state == state
        },
        state,
    )
    .await;
    house.wait_idle().await;
}

fn has(house: &House, room: RoomId, fits: impl Fn(&Event) -> bool) -> bool {
    log(house, room).iter().any(fits)
}

pub(super) fn git(folder: &Path, args: &[&str]) -> String {
    let done = std::process::Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .output()
        .expect("git can be started");
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("git answers in text")
}

/// Branch, stash, references and index of a repository.
pub(super) fn standing(folder: &Path) -> (String, String, String, Vec<u8>) {
    let status = git(folder, &["status", "--porcelain=v2", "--branch"]);
    let branch = status.lines().filter(|line| line.starts_with('#')).collect::<Vec<_>>().join("\n");
    let index = std::fs::read(folder.join(".git/index")).expect("there is an index");
    (branch, git(folder, &["stash", "list"]), git(folder, &["for-each-ref"]), index)
}

#[tokio::test]
async fn three_write_at_once_and_all_of_it_is_merged() {
    let part = |n: u32| {
        let words = format!("{n} is done");
        vec![write(&format!("{n}.md"), "x").hold_after(1), sidekick_complete(&words).hold_after(1)]
    };
    let step = |n: u32| {
        let (text, target) = (format!("part {n}"), format!("{n}.md"));
        json!({ "text": text, "tool": "write_file", "target": target })
    };
    let script = Script::by_room([
        ("part 1", part(1)),
        ("part 2", part(2)),
        ("part 3", part(3)),
        ("do it", vec![parallel(json!([step(1), step(2), step(3)])), Reply::text("ok")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 3, "three at once").await;
    house.model.release();
    wait_for(async || requests(&house, "part").len() == 6, "three to have written").await;
    assert_eq!(copies(&house.data()).len(), 3);
    assert!(house.workspace.files().is_empty(), "{:?}", house.workspace.files());
    assert!(house.plan().steps.iter().all(|step| step.changed.is_empty()));
    let told = requests(&house, "part 1").pop().unwrap().tool_results();
    assert!(told[0].contains("you work in a copy of it"), "{told:?}");

    release_until(&house, "done").await;
    let names: Vec<String> = house.workspace.files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, ["1.md", "2.md", "3.md"]);
    let changed: Vec<_> = house.plan().steps.iter().map(|step| step.changed.clone()).collect();
    assert_eq!(changed, [["1.md"], ["2.md"], ["3.md"]]);
    wait_no_copies(&house.data()).await;
    for one in all(&house) {
        let merged = |event: &Event| {
            matches!(event, Event::Merged { changed, .. } if changed.len() == 1
                && changed[0].before.is_none() && changed[0].after.is_some())
        };
        assert!(has(&house, one.id, merged), "{:?}", log(&house, one.id));
    }
    let report = house.plan().report.expect("it has ended");
    assert!(report.lines.iter().all(|line| line.touched), "{report:?}");
}

#[tokio::test]
async fn changes_of_different_lines_of_one_file_are_merged_without_a_question() {
    let lines = "one\ntwo\nthree\nfour\nfive\n";
    let script = Script::by_room([
        (
            "part 1",
            vec![edit("a.txt", "one", "ONE").hold_after(1), sidekick_complete("1").hold_after(1)],
        ),
        (
            "part 2",
            vec![edit("a.txt", "five", "FIVE").hold_after(1), sidekick_complete("2").hold_after(1)],
        ),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let house = House::configured(script, "", &[("a.txt", lines)]).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    // Neither is done before the other one changes something, too.
    wait_for(async || copies(&house.data()).len() == 2, "a copy for each").await;
    release_until(&house, "done").await;
    assert_eq!(house.workspace.read("a.txt"), "ONE\ntwo\nthree\nfour\nFIVE\n");
    assert_eq!(house.count("ask_raised"), 0);
    assert!(
        all(&house).iter().all(|one| has(&house, one.id, |e| matches!(e, Event::Merged { .. })))
    );
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn commands_run_at_once_each_in_its_copy_and_the_repository_is_as_before() {
    let look = "cat new.txt changed.txt; git status --porcelain; git log --format=%s; \
                echo $PWD > /dev/null; echo NUMBER > NUMBER.out; git add -A; \
                git -c user.name=x -c user.email=x commit -qm mine; git checkout -qb other; \
                echo more >> changed.txt; git stash -q; git stash pop -q";
    let part =
        |n: &str| vec![shell(&look.replace("NUMBER", n)).hold_after(1), sidekick_complete("ok")];
    let step = |n: u32| json!({ "text": format!("part {n}"), "tool": "shell", "target": "git" });
    let script = Script::by_room([
        ("part 1", part("1")),
        ("part 2", part("2")),
        ("do it", vec![parallel(json!([step(1), step(2)])), Reply::text("ok")]),
    ]);
    let files = [("changed.txt", "old\n"), (".gitignore", "target/\n"), ("target/x", "built\n")];
    let house = House::configured(script, "", &files).await;
    let folder = house.workspace.path();
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "first"]);
    house.workspace.write("changed.txt", "put aside\n");
    git(&folder, &["stash", "-q"]);
    house.workspace.write("changed.txt", "changed\n");
    house.workspace.write("new.txt", "untracked\n");
    house.workspace.write("staged.txt", "staged\n");
    git(&folder, &["add", "staged.txt"]);
    let before = standing(&folder);

    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "two commands at once").await;
    release_until(&house, "done").await;
    let said = requests(&house, "part 1").pop().unwrap().tool_results().remove(0);
    for words in ["untracked\nchanged\n", " M changed.txt", "A  staged.txt", "?? new.txt", "first"]
    {
        assert!(said.contains(words), "{words:?} in {said}");
    }
    assert!(said.contains("Ignored folders are not in it: target."), "{said}");
    assert_eq!(standing(&folder), before);
    assert_eq!(
        (house.workspace.read("1.out"), house.workspace.read("2.out")),
        ("1\n".into(), "2\n".into())
    );
    // Both appended the same line: the same change twice is one.
    assert_eq!(house.workspace.read("changed.txt"), "changed\nmore\n");
    assert_eq!(
        git(&folder, &["status", "--porcelain"]),
        " M changed.txt\nA  staged.txt\n?? 1.out\n?? 2.out\n?? new.txt\n"
    );
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn nothing_reaches_the_folder_itself_from_a_copy() {
    let script = Script::from_fn(|request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        let folder = said.split("folder=").nth(1).and_then(|rest| rest.split('\n').next());
        let folder = folder.unwrap_or_default().to_owned();
        match (said.starts_with("part 1"), request.tool_results().len()) {
            (true, 0) => write("b.txt", "of the copy").hold_after(1),
            (true, 1) => {
                shell(&format!("echo evil > {folder}/a.txt; echo evil > {folder}/.git/HEAD"))
            }
            (true, 2) => shell(&format!("echo evil > {folder}/.git/objects/evil; ls {folder}/../")),
            (true, 3) => shell(
                "ls ..; cat ../base.json; cat ../../*/work/secret.txt; ls ../../..; ln -s / root",
            ),
            (true, 4) => write("root/tmp/evil", "evil"),
            (true, 5) => Reply::call("read_file", json!({ "path": "../base.json" })),
            (true, 6) => Reply::call("read_file", json!({ "path": format!("{folder}/b.txt") })),
            (true, 7) => Reply::call("delete_file", json!({ "path": format!("{folder}/b.txt") })),
            (true, _) => sidekick_complete("tried"),
            (false, 0) if said.starts_with("part 2") => {
                write("secret.txt", "the other's").hold_after(1)
            }
            (false, 1) if said.starts_with("part 2") => sidekick_complete("2").hold_after(1),
            (false, 0) => {
                let text = format!("part 1 folder={}\n", said.trim_start_matches("do it in "));
                parallel(json!([{ "text": text, "tool": "shell" }, "part 2"]))
            }
            (false, _) => Reply::text("ok"),
        }
    });
    let house = House::configured(script, "", &[("a.txt", "mine\n")]).await;
    let folder = house.workspace.path();
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "first"]);
    let before = standing(&folder);
    house.say(&format!("do it in {}", folder.display())).await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    let first = |house: &House| all(house).into_iter().find(|one| one.task.starts_with("part 1"));
    wait_for(
        async || first(&house).is_some_and(|one| one.state == "completed"),
        "all of it to be tried",
    )
    .await;
    let said = requests(&house, "part 1").pop().unwrap().tool_results();
    assert!(said[1].contains("Read-only file system"), "{}", said[1]);
    assert!(said[6].contains("of the copy"), "{}", said[6]);
    assert!(!said[3].contains("the other's") && !said[3].contains("plancard.db"), "{}", said[3]);
    assert!(!said[3].contains("hash"), "{}", said[3]);
    assert!(said[4].contains("code"), "{}", said[4]);
    assert!(said[5].contains("\"OUTSIDE\""), "{}", said[5]);
    assert_eq!(house.workspace.read("a.txt"), "mine\n");
    assert_eq!(standing(&folder), before);
    assert!(!folder.join(".git/objects/evil").exists());
    release_until(&house, "done").await;
    assert_eq!(house.workspace.read("a.txt"), "mine\n");
    wait_no_copies(&house.data()).await;
}

/// How long this machine takes right now to start and end six programs and remove six folders.
fn yardstick(folder: &Path) -> Duration {
    let begun = Instant::now();
    for n in 0..6 {
        let made = folder.join(format!("yard-{n}"));
        std::fs::create_dir_all(made.join("work")).expect("a folder can be made");
        let ended = std::process::Command::new("bash").args(["-c", "true"]).status();
        assert!(ended.expect("bash can be started").success());
        std::fs::remove_dir_all(made).expect("it can be removed");
    }
    begun.elapsed()
}

#[tokio::test]
async fn cancelling_six_with_commands_leaves_no_process_no_copy_and_free_slots() {
    let marker = format!("plancard-test-{}", engine::fresh_id().simple());
    let command = format!("touch begun; bash -c 'exec -a {marker} sleep 300'");
    let script = Script::from_fn(move |request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match said.starts_with("part") {
            true => shell(&command).hold_after(1),
            false if request.tool_results().is_empty() => {
                let steps: Vec<String> = (1..=6).map(|n| format!("part {n}")).collect();
                parallel(json!(steps))
            }
            false => Reply::text("ok"),
        }
    });
    let house = House::configured(script, "caps: { sidekicks_per_plan: 6 }\n", &[("a", "1")]).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 6, "six at once").await;
    house.model.release();
    let begun = |house: &House| {
        let works = house.data().join("copies");
        let begun = |id: &String| works.join(id).join("work/begun").exists();
        copies(&house.data()).iter().filter(|id| begun(id)).count()
    };
    wait_for(async || begun(&house) == 6, "six commands to have begun").await;
    assert!(flow::is_running(&marker) && !house.workspace.has("begun"));

    let cancelled = Instant::now();
    house.person(Command::Cancel { reason: "enough".into(), call: None }).await.unwrap();
    // Their slots are free at once.
    let mut free = Vec::new();
    for n in 1..=6 {
        free.push(spawn(&house, &format!("part {n} again")).await.id);
    }
    for one in &free {
        wait_state(&house, *one, "running").await;
    }
    wait_for(
        async || !flow::is_running(&marker) && copies(&house.data()).is_empty(),
        "nothing to be left",
    )
    .await;
    let took = cancelled.elapsed();
    println!("nothing was left {} ms after the cancel", took.as_millis());
    // A second, and more only where the machine itself is slow in this moment.
    let most = Duration::from_secs(1) + yardstick(&house.data()) * 10;
    assert!(took < most, "{took:?} of {most:?}");
    let old: Vec<_> = all(&house).into_iter().filter(|one| !free.contains(&one.id)).collect();
    assert!(old.len() == 6 && old.iter().all(|one| one.state == "stopped"), "{old:?}");
    assert_eq!(house.workspace.files(), [("a".to_owned(), "1".to_owned())]);
}

#[tokio::test]
async fn what_a_stopped_one_changed_is_not_taken_over_and_what_it_said_is_kept() {
    let script = Script::by_room([
        (
            "part 1",
            vec![
                write("half.md", "half").and_text("Half of it is there.").hold_after(1),
                sidekick_complete("1").hold_after(1),
            ],
        ),
        (
            "part 2",
            vec![
                Reply::call("list_dir", json!({})).hold_after(1),
                sidekick_complete("2").hold_after(1),
            ],
        ),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    let first = all(&house).into_iter().find(|one| one.task.starts_with("part 1")).unwrap();
    house.model.release();
    wait_for(async || requests(&house, "part 1").len() == 2, "half of it").await;
    house.engine().stop_sidekick(first.id, &me()).await.unwrap();
    wait_no_copies(&house.data()).await;
    release_until(&house, "failed").await;
    assert!(!house.workspace.has("half.md"));
    let result = house.plan().steps[0].result.clone().unwrap();
    assert_eq!(result, "stopped by a person; what it changed was not taken over");
    assert_eq!(now(&house, first.id).state, "stopped");
}

#[tokio::test]
async fn where_no_copy_can_be_made_steps_that_write_run_one_after_the_other_and_the_card_says_so() {
    let part = |n: u32| write(&format!("{n}.md"), "x");
    let script = Script::from_fn(move |request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        let number = said.strip_prefix("part ").and_then(|rest| rest.chars().next());
        match (number.and_then(|n| n.to_digit(10)), request.tool_results().len()) {
            (Some(n), 0) => part(n).hold_after(1),
            (Some(n), _) => sidekick_complete(&format!("{n}")).hold_after(1),
            (None, 0) => parallel(json!(["part 1", "part 2", "part 3"])),
            (None, _) => Reply::text("ok"),
        }
    });
    // A repository inside is another's business.
    let house = House::configured(script, "", &[("sub/.git/HEAD", "ref: refs/heads/main")]).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 3, "three at once").await;
    house.model.release();
    let warned = |house: &House| {
        let steps = house.plan().steps;
        steps.iter().filter(|step| !step.warnings.is_empty()).count()
    };
    wait_for(async || warned(&house) >= 2, "steps to be put back").await;
    let most = |house: &House| {
        let steps = house.plan().steps;
        let alone =
            steps.iter().filter(|step| step.status == "in_progress" && !step.warnings.is_empty());
        (alone.count(), steps.iter().filter(|step| step.status == "in_progress").count())
    };
    wait_for(
        async || {
            let (alone, running) = most(&house);
            assert!(alone == 0 || running == 1, "{alone} by itself and {running} in all");
            house.model.release();
            house.plan().state == "done"
        },
        "the end",
    )
    .await;
    let plan = house.plan();
    assert!(plan.steps.iter().all(|step| step.status == "done"));
    let words = plan.steps.iter().flat_map(|step| &step.warnings).next().unwrap();
    assert_eq!(
        words,
        "it runs by itself, for no copy of the folder can be made: `sub` is a repository of its own"
    );
    assert!((1..=3).all(|n| house.workspace.has(&format!("{n}.md"))));
    assert!(copies(&house.data()).is_empty());
}

#[tokio::test]
async fn one_that_a_room_asked_for_has_a_copy_only_while_others_work() {
    let script = Script::by_room([
        (
            "alone",
            vec![
                write("alone.md", "x").hold_after(1),
                Reply::call("list_dir", json!({})).hold_after(1),
                sidekick_complete("1").hold_after(1),
            ],
        ),
        (
            "beside",
            vec![write("beside.md", "x").hold_after(1), sidekick_complete("2").hold_after(1)],
        ),
        ("", vec![]),
    ]);
    let house = House::with(script).await;
    let alone = spawn(&house, "alone").await;
    wait_for(async || requests(&house, "alone").len() == 1, "one").await;
    house.model.release();
    wait_for(async || requests(&house, "alone").len() == 2, "it to have written").await;
    assert!(house.workspace.has("alone.md") && copies(&house.data()).is_empty());
    let beside = spawn(&house, "beside").await;
    wait_for(async || requests(&house, "beside").len() == 1, "the other").await;
    house.model.release();
    wait_for(async || requests(&house, "beside").len() == 2, "it to have written, too").await;
    assert_eq!(copies(&house.data()), [beside.id.to_string()]);
    assert!(!house.workspace.has("beside.md"));
    wait_for(
        async || {
            house.model.release();
            now(&house, beside.id).state == "completed"
        },
        "both to end",
    )
    .await;
    wait_told(&house, "2").await;
    assert!(house.workspace.has("beside.md"));
    assert!(!has(&house, alone.id, |event| matches!(event, Event::CopyMade { .. })));
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn what_a_sidekick_of_a_sidekick_changed_goes_into_the_copy_of_that_one_first() {
    let script = Script::by_room([
        (
            "part 1",
            vec![
                write("own.md", "x").hold_after(1),
                spawn_sidekick("the small thing"),
                Reply::text("I wait."),
                shell("cat small.md").hold_after(1),
                sidekick_complete("both are there"),
            ],
        ),
        ("the small thing", vec![write("small.md", "small"), sidekick_complete("small is done")]),
        (
            "part 2",
            vec![
                Reply::call("list_dir", json!({})).hold_after(1),
                sidekick_complete("2").hold_after(1),
            ],
        ),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    wait_for(async || requests(&house, "part 1").len() == 4, "the small thing to be done").await;
    assert!(house.workspace.files().is_empty(), "{:?}", house.workspace.files());
    let first = all(&house).into_iter().find(|one| one.task.starts_with("part 1")).unwrap();
    let merged = house.data().join("copies").join(first.id.to_string()).join("work/small.md");
    assert_eq!(std::fs::read_to_string(merged).unwrap(), "small");
    release_until(&house, "done").await;
    let names: Vec<String> = house.workspace.files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, ["own.md", "small.md"]);
    assert_eq!(house.plan().steps[0].changed, ["own.md", "small.md"]);
    wait_no_copies(&house.data()).await;
}

/// Whoever works in the folder puts a link in the place of what a copy shares.
#[tokio::test]
async fn commands_in_a_copy_read_nothing_that_is_put_in_the_place_of_shared_objects() {
    let look = "cat $(cat .git/objects/info/alternates)/secret; echo ran";
    let script = Script::by_room([
        (
            "part 1",
            vec![
                write("own.md", "x").hold_after(1),
                shell(look).hold_after(1),
                sidekick_complete("1").hold_after(1),
            ],
        ),
        (
            "part 2",
            vec![
                Reply::call("list_dir", json!({})).hold_after(1),
                sidekick_complete("2").hold_after(1),
            ],
        ),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let house = House::configured(script, "", &[("a.txt", "mine\n")]).await;
    let folder = house.workspace.path();
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "first"]);
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    wait_for(async || requests(&house, "part 1").len() == 2, "a copy").await;
    let private = tempfile::tempdir().unwrap();
    std::fs::write(private.path().join("secret"), "what only the person reads").unwrap();
    let objects = folder.join(".git/objects");
    std::fs::rename(&objects, folder.join(".git/aside")).unwrap();
    std::os::unix::fs::symlink(private.path(), &objects).unwrap();
    house.model.release();
    wait_for(async || requests(&house, "part 1").len() == 3, "the command").await;
    let said = requests(&house, "part 1").pop().unwrap().tool_results().remove(1);
    assert!(said.contains("ran\n") && !said.contains("what only the person reads"), "{said}");
    release_until(&house, "done").await;
    wait_no_copies(&house.data()).await;
}

/// As long as it looks it is in the copy of the one above, and then in a copy of that.
#[tokio::test]
async fn git_works_for_the_sidekicks_of_a_sidekick_with_a_copy() {
    let look = || shell("git log --format=%s");
    let work = || shell("git log --format=%s; git status --porcelain; echo more >> a.txt");
    let script = Script::by_room([
        (
            "part 1",
            vec![
                write("own.md", "x").hold_after(1),
                spawn_sidekick("the small thing"),
                Reply::text("I wait."),
                sidekick_complete("1").hold_after(1),
            ],
        ),
        ("the small thing", vec![look(), work(), sidekick_complete("small is done")]),
        (
            "part 2",
            vec![
                Reply::call("list_dir", json!({})).hold_after(1),
                sidekick_complete("2").hold_after(1),
            ],
        ),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let house = House::configured(script, "", &[("a.txt", "mine\n")]).await;
    let folder = house.workspace.path();
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "first"]);
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    wait_for(async || requests(&house, "the small thing").len() == 3, "the commands").await;
    let said = requests(&house, "the small thing").pop().unwrap().tool_results();
    assert_eq!(said[0], "first\n");
    assert!(said[1].starts_with("first\n?? own.md\n"), "{}", said[1]);
    assert!(said[1].contains("you work in a copy of it"), "{}", said[1]);
    release_until(&house, "done").await;
    assert_eq!(house.workspace.read("a.txt"), "mine\nmore\n");
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn what_is_written_in_an_ignored_folder_is_taken_over_and_what_commands_left_is_told() {
    let script = Script::by_room([
        (
            "part 1",
            vec![
                write("build/report.md", "the report").hold_after(1),
                sidekick_complete("reported"),
            ],
        ),
        (
            "part 2",
            vec![
                shell("mkdir build && echo x > build/app").hold_after(1),
                sidekick_complete("built\nand more"),
            ],
        ),
        (
            "do it",
            vec![
                parallel(json!(["part 1", { "text": "part 2", "tool": "shell" }])),
                Reply::text("ok"),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::configured(script, "", &[(".gitignore", "build/\n")]).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    release_until(&house, "done").await;
    assert_eq!(house.workspace.read("build/report.md"), "the report");
    assert!(!house.workspace.path().join("build/app").exists());
    let steps = house.plan().steps;
    assert_eq!(steps[0].result.as_deref(), Some("reported"));
    let said = "built; not taken over, for git ignores it: build/app";
    assert_eq!(steps[1].result.as_deref(), Some(said));
    let told = |event: &Event| matches!(event, Event::Nudged { text, quiet: true, .. } if text.contains("such as build/app"));
    assert!(has(&house, steps[1].sidekick.unwrap(), told));
    assert!(!has(&house, steps[0].sidekick.unwrap(), told));
    wait_no_copies(&house.data()).await;
}

/// The person's git, run in such a folder, runs what its settings name.
#[tokio::test]
async fn what_git_takes_for_a_repository_stays_in_the_copy_and_the_room_above_is_told() {
    let plant = "mkdir -p b/objects b/refs; touch b/objects/x b/refs/x; echo 'ref: refs/heads/x' > \
                 b/HEAD; printf '[core]\\n\\tfsmonitor = ./evil\\n' > b/config; git init -q n";
    let script = Script::by_room([
        (
            "part 1",
            vec![
                Reply::calls([
                    ("write_file", json!({ "path": "docs/c/config", "content": "x" })),
                    ("write_file", json!({ "path": "docs/commondir", "content": "c" })),
                    ("write_file", json!({ "path": "docs/HEAD", "content": "ref: refs/heads/x" })),
                ])
                .hold_after(1),
                shell(plant).hold_after(1),
                sidekick_complete("planted"),
            ],
        ),
        ("part 2", vec![write("2.md", "x").hold_after(1), sidekick_complete("written")]),
        (
            "do it",
            vec![
                parallel(json!([{ "text": "part 1", "tool": "shell" }, "part 2"])),
                Reply::text("ok"),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    release_until(&house, "done").await;
    // The file tools refused the last part of the one in `docs`.
    let names: Vec<String> = house.workspace.files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, ["2.md", "docs/c/config", "docs/commondir"]);
    let steps = house.plan().steps;
    let said = "planted; left out, for git takes it for a repository: n/.git, b";
    assert_eq!(steps[0].result.as_deref(), Some(said));
    let told = |event: &Event| matches!(event, Event::Nudged { text, quiet: true, .. } if text.contains("takes for a repository of its own: n/.git, b"));
    assert!(has(&house, steps[0].sidekick.unwrap(), told));
    let above: Vec<_> = requests(&house, "do it");
    assert!(above.iter().any(|one| format!("{one:?}").contains("for a repository: n/.git, b")));
    wait_no_copies(&house.data()).await;
}
