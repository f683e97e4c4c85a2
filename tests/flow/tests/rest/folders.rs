//! Which folders a room may work in, by who asks for it.

use crate::refused;
use engine::Opener;
use engine::config::Rights;
use flow::{Client, House, Place, Serve, Served, me, secret};
use plan::{Actor, Surface};
use serde_json::json;
use std::fs::create_dir_all;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use support::{Reply, ScriptedModel, TempWorkspace, wait_for};

const RUN: Rights = Rights { supervise: true, run: true, approve: false };

const REHEARSAL: &str = "agents:\n  default: { model: rehearsal/demo }\n";

async fn room(client: &Client, folder: &Path) -> flow::Answer {
    client.post("/v1/rooms", json!({ "workspace": folder })).await
}

async fn goal(client: &Client, folder: &Path) -> flow::Answer {
    let body = json!({ "goal": "tidy up", "context": { "repoPath": folder } });
    client.post("/agents/plan", body).await
}

fn not_given() -> (u16, String) {
    refused(403, "FORBIDDEN")
}

fn bad() -> (u16, String) {
    refused(422, "BAD_WORKSPACE")
}

/// Two clients of a house: one that may approve and one that may not.
async fn clients(house: &House) -> (Served, Client, Client) {
    let tokens = [("run", Some(RUN)), ("all", Some(Rights::ALL))];
    let served = Served::with_tokens(house.engine(), &tokens).await;
    let of =
        |name: &str| served.client.header("authorization", &format!("Bearer {}", secret(name)));
    let (run, all) = (of("run"), of("all"));
    (served, run, all)
}

#[tokio::test]
async fn a_folder_that_nobody_opened_needs_the_right_to_approve() {
    let mut house = House::with(vec![]).await;
    let place = TempWorkspace::new(&[("new/x", ""), ("other/x", ""), ("hand/sub/x", "")]);
    let (new, other, hand) =
        (place.path().join("new"), place.path().join("other"), place.path().join("hand"));
    let (mut served, run, all) = clients(&house).await;
    for folder in [&new, &other, &hand, &place.path().join("new/../other")] {
        let answer = room(&run, folder).await;
        assert_eq!(answer.refusal(), not_given(), "{}", folder.display());
        let words = answer.body["error"]["message"].to_string();
        assert!(words.contains("`workspaces`") && words.contains("`approve`"), "{words}");
        assert_eq!(goal(&run, folder).await.refusal(), not_given());
    }
    assert_eq!(house.engine().overview().unwrap().rooms.len(), 1, "none was made");
    // Somebody's yes is for one room, not for all that come after it.
    room(&all, &new).await.ok();
    assert_eq!(room(&run, &new).await.refusal(), not_given());
    // What a person opened by hand is open, and so is what lies in it.
    house.engine().create_room(&me(), None, &hand, None).await.unwrap();
    let at_command_line = Actor::person("me", Surface::Cli);
    house.engine().create_room(&at_command_line, None, &other, None).await.unwrap();
    let link = new.join("link");
    symlink(place.path(), &link).unwrap();
    for life in ["first", "second"] {
        served.close().await;
        house.restart().await;
        let (anew, run, _) = clients(&house).await;
        served = anew;
        for folder in [&hand, &hand.join("sub"), &other] {
            assert_eq!(room(&run, folder).await.status, 201, "{life} {}", folder.display());
        }
        for folder in [&new, &link, &place.path(), &hand.join("../new")] {
            assert_eq!(room(&run, folder).await.refusal(), not_given(), "{life}");
        }
        assert_eq!(goal(&run, &hand).await.status, 202, "{life}");
    }
}

#[tokio::test]
async fn folders_that_are_listed_are_open_to_every_token_and_links_lead_out_of_none() {
    let place = TempWorkspace::new(&[("listed/a/x", ""), ("beside/x", ""), ("listed2/x", "")]);
    let listed = place.path().join("listed");
    symlink(place.path().join("beside"), listed.join("link")).unwrap();
    let house = House::configured(vec![], &format!("workspaces: [{listed:?}]"), &[]).await;
    let (_served, run, all) = clients(&house).await;
    for folder in [listed.clone(), listed.join("a")] {
        assert_eq!(room(&run, &folder).await.status, 201, "{}", folder.display());
    }
    assert_eq!(goal(&run, &listed.join("a")).await.status, 202);
    for out in ["beside", "listed/link", "listed2", "listed/../beside"] {
        assert_eq!(room(&run, &place.path().join(out)).await.refusal(), not_given(), "{out}");
        assert_eq!(goal(&run, &place.path().join(out)).await.refusal(), not_given(), "{out}");
    }
    // The person's own programs come in by the socket, and what they open is open.
    let person = Client::of_person(house.engine(), &house.data());
    let opened = place.path().join("listed2");
    assert_eq!(room(&person, &opened).await.status, 201);
    assert_eq!(room(&run, &opened).await.status, 201);
    // A room moves only with the right to approve, and then as far as that right goes.
    let moved = async |client: &Client, folder: PathBuf| {
        let body = json!({ "workspace": folder }).to_string();
        client.send("PATCH", &format!("/v1/rooms/{}", house.room), Some(body)).await
    };
    assert_eq!(moved(&run, listed.join("a")).await.refusal(), not_given());
    moved(&all, place.path().join("beside")).await.ok();
}

/// What everybody's programs keep below the folder for temporary files, too.
#[tokio::test]
async fn a_hidden_folder_for_temporary_files_is_no_exception() {
    let hidden = tempfile::Builder::new().prefix(".hid").tempdir().unwrap();
    let config = format!("workspaces: [{:?}]", std::env::temp_dir());
    let house = House::configured(vec![], &config, &[]).await;
    let (_served, run, all) = clients(&house).await;
    for client in [&run, &all, &Client::of_person(house.engine(), &house.data())] {
        assert_eq!(room(client, hidden.path()).await.refusal(), bad());
        assert_eq!(goal(client, hidden.path()).await.refusal(), bad());
    }
}

/// A copy of a home, under whatever name, and parts of one.
#[tokio::test]
async fn folders_that_hold_keys_or_what_starts_by_itself_are_open_to_nobody() {
    let place = TempWorkspace::new(&[
        ("a/.ssh/id", ""),
        ("b/.aws/credentials", ""),
        ("c/.config/autostart/x.desktop", ""),
        ("d/.local/bin/x", ""),
        ("e/.password-store/x.gpg", ""),
        ("f/.git/HEAD", ""),
    ]);
    let house = House::configured(vec![], &format!("workspaces: [{:?}]", place.path()), &[]).await;
    let (_served, run, all) = clients(&house).await;
    let person = Client::of_person(house.engine(), &house.data());
    for name in ["a", "b", "c", "c/.config", "d", "d/.local", "e"] {
        let folder = place.path().join(name);
        for client in [&run, &all, &person] {
            assert_eq!(room(client, &folder).await.refusal(), bad(), "{name}");
            assert_eq!(goal(client, &folder).await.refusal(), bad(), "{name}");
        }
        let open = house.engine().create_room(&me(), None, &folder, None).await;
        assert_eq!(open.unwrap_err().code(), "BAD_WORKSPACE", "{name}");
    }
    assert_eq!(room(&run, &place.path().join("f")).await.status, 201);
}

#[tokio::test]
async fn hidden_folders_are_opened_by_hand_in_the_window_alone() {
    let place = TempWorkspace::new(&[(".hidden/deep/x", ""), (".other/x", "")]);
    let hidden = place.path().join(".hidden");
    let house = House::configured(vec![], &format!("workspaces: [{:?}]", place.path()), &[]).await;
    let (_served, run, all) = clients(&house).await;
    let person = Client::of_person(house.engine(), &house.data());
    symlink(&hidden, place.path().join("link")).unwrap();
    for folder in [hidden.clone(), hidden.join("deep"), place.path().join("link")] {
        for client in [&run, &all, &person] {
            assert_eq!(room(client, &folder).await.refusal(), bad(), "{}", folder.display());
            assert_eq!(goal(client, &folder).await.refusal(), bad());
        }
    }
    let body = json!({ "workspace": hidden }).to_string();
    let path = format!("/v1/rooms/{}", house.room);
    assert_eq!(all.send("PATCH", &path, Some(body)).await.refusal(), bad());
    house.engine().create_room(&me(), None, &hidden, None).await.unwrap();
    assert_eq!(room(&all, &hidden.join("deep")).await.status, 201, "it was opened by hand");
    assert_eq!(room(&all, &place.path().join(".other")).await.refusal(), bad());
}

/// A home with what no room may see, and other names for it.
fn home(place: &Place) -> Vec<PathBuf> {
    let home = place.home().canonicalize().expect("it is there");
    let guarded = [
        ".ssh",
        ".gnupg",
        ".aws",
        ".config/autostart",
        ".local/bin",
        ".local/share/keyrings",
        ".config/systemd/user",
        "work/.git/hooks",
    ];
    for name in guarded {
        create_dir_all(home.join(name)).expect("a folder can be made");
    }
    create_dir_all(home.join("dotfiles/gh")).expect("a folder can be made");
    symlink(home.join("dotfiles/gh"), home.join(".config/gh")).expect("a link can be made");
    for (name, to) in [("to-ssh", ".ssh"), ("to-config", ".config"), ("to-home", "")] {
        symlink(home.join(to), home.join("work").join(name)).expect("a link can be made");
    }
    let others = [
        // What holds them, and what they lead to.
        "",
        ".config",
        ".local",
        ".local/share",
        "dotfiles",
        "dotfiles/gh",
        "work/.git",
        // By other names.
        "work/to-ssh",
        "work/to-config",
        "work/to-config/autostart",
        "work/to-home/.aws",
        "work/../.gnupg",
        "work/./../.local/bin/.",
    ];
    guarded.iter().chain(&others).map(|name| home.join(name)).collect()
}

#[tokio::test]
async fn folders_with_keys_or_programs_that_start_by_themselves_are_open_to_nobody() {
    let place = Place::new(REHEARSAL);
    let guarded = home(&place);
    let more = format!("{REHEARSAL}workspaces: [{:?}, {:?}]\n", place.home(), guarded[0]);
    std::fs::write(place.config(), more).unwrap();
    for life in ["the first", "the second"] {
        let mut command = place.serve();
        command.env("PLANCARD_RIGHTS", "read,supervise,run,approve");
        let serve = Serve::listening(command).await;
        let person = Client::on_socket(&place.data());
        for client in [&serve.client, &person] {
            for folder in &guarded {
                let answer = room(client, folder).await;
                assert_eq!(answer.refusal(), bad(), "{life}: {}", folder.display());
                assert_eq!(goal(client, folder).await.refusal(), bad(), "{}", folder.display());
            }
        }
        let work = room(&serve.client, &place.home().join("work")).await.ok();
        let path = format!("/v1/rooms/{}", work["id"].as_str().unwrap());
        for folder in &guarded {
            let body = json!({ "workspace": folder }).to_string();
            let moved = serve.client.send("PATCH", &path, Some(body)).await;
            assert_eq!(moved.refusal(), bad(), "{}", folder.display());
        }
        let rooms = serve.client.get("/v1/rooms").await.ok();
        assert!(rooms["items"].as_array().unwrap().iter().all(|room| room["title"] == "work"));
        assert!(serve.terminate().await.success());
    }
}

/// A room may be older than the rule, or its folder may have become one of these since.
#[tokio::test]
async fn a_room_does_not_work_in_a_folder_that_came_to_hold_keys() {
    let read = || Reply::call("read_file", json!({ "path": "id" }));
    let script = (0..3).flat_map(|_| [read(), Reply::text("ok")]);
    let model = ScriptedModel::start(script.collect::<Vec<_>>()).await;
    let place = Place::with_model(&model, "");
    let keys = place.home().join("project/keys");
    create_dir_all(&keys).unwrap();
    std::fs::write(keys.join("id"), "A PRIVATE KEY").unwrap();
    let serve = place.start().await;
    let made = room(&serve.client, &keys).await.ok();
    let path = format!("/v1/rooms/{}/messages", made["id"].as_str().unwrap());
    serve.client.post(&path, json!({ "text": "read it" })).await.ok();
    let told = model.request(1).await.tool_results();
    assert!(told[0].contains("A PRIVATE KEY"), "so far it is a folder like any other: {told:?}");
    assert!(serve.terminate().await.success());
    symlink(&keys, place.home().join(".ssh")).unwrap();
    let serve = place.start().await;
    serve.client.post(&path, json!({ "text": "again" })).await.ok();
    wait_for(async || model.requests().len() == 4, "the model to be told").await;
    let told = model.request(3).await.tool_results().pop().unwrap();
    assert!(!told.contains("PRIVATE"), "{told}");
    // Nor where they came into it.
    assert!(serve.terminate().await.success());
    std::fs::remove_file(place.home().join(".ssh")).unwrap();
    create_dir_all(keys.join(".gnupg")).unwrap();
    let serve = place.start().await;
    serve.client.post(&path, json!({ "text": "once more" })).await.ok();
    wait_for(async || model.requests().len() == 6, "the model to be told").await;
    let told = model.request(5).await.tool_results().pop().unwrap();
    assert!(!told.contains("PRIVATE"), "{told}");
}

/// The window has no way round it either.
#[tokio::test]
async fn the_window_opens_hidden_folders_but_none_with_keys() {
    let house = House::with(vec![]).await;
    let place = TempWorkspace::new(&[(".ssh/id", ""), (".hidden/x", ""), (".git/HEAD", "")]);
    let open = async |folder: PathBuf| {
        house.engine().create_room(&me(), None, &folder, None).await.map_err(|error| error.code())
    };
    for name in [".ssh", ".hidden/../.ssh", ".git"] {
        assert_eq!(open(place.path().join(name)).await.unwrap_err(), "BAD_WORKSPACE", "{name}");
    }
    let moved = house.engine().move_room(house.room, &me(), &place.path().join(".ssh")).await;
    assert_eq!(moved.unwrap_err().code(), "BAD_WORKSPACE");
    let new = engine::NewGoal {
        goal: "tidy up".to_owned(),
        folder: place.path().join(".ssh"),
        opener: Opener::Window,
        parallelism: None,
        timeout_ms: None,
        mode: plan::PlanMode::Off,
    };
    let set = house.engine().set_goal(&me(), new).await;
    assert_eq!(set.map(drop).unwrap_err().code(), "BAD_WORKSPACE");
    assert!(open(place.path().join(".hidden")).await.is_ok());
}
