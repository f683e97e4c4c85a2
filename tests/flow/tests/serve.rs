//! The real program: how it starts, what it refuses, how it stops.

use flow::{Client, Place, Serve};
use serde_json::{Value, json};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use support::{
    Reply, ScriptedModel, TempWorkspace, plan_write, plan_write_with, program, step_done, wait_for,
    wait_for_some,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const REHEARSAL: &str = "agents:\n  default: { model: rehearsal/demo }\n";

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn it_says_where_it_listens_and_where_the_token_is() {
    let place = Place::new("");
    let serve = place.start().await;
    let file = place.data().join("token");
    let address = serve.client.address;
    assert!(address.ip().is_loopback());
    assert_eq!(
        serve.printed,
        [format!("listening on http://{address}"), format!("token in {}", file.display())]
    );
    let mode = |path: &std::path::Path| {
        std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    };
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&place.data()), 0o700);
    assert_eq!(serve.client.get("/v1/rooms").await.ok(), json!({ "items": [] }));
    let stranger = serve.client.header("authorization", "Bearer another-token-0123456789");
    assert_eq!(stranger.get("/v1/rooms").await.refusal().0, 401);
}

#[tokio::test]
async fn the_token_stays_the_same_over_a_restart_unless_others_could_read_it() {
    let place = Place::new("");
    let file = place.data().join("token");
    let token = || std::fs::read_to_string(&file).expect("the token is there");
    assert!(place.start().await.terminate().await.success());
    let first = token();
    assert!(place.start().await.terminate().await.success());
    assert_eq!(token(), first);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(place.start().await.terminate().await.success());
    assert_ne!(token(), first);
}

#[tokio::test]
async fn the_token_of_the_environment_is_the_one_and_is_written_nowhere() {
    let place = Place::new("");
    let mut command = place.serve();
    command.env("PLANCARD_TOKEN", "from-the-environment");
    let serve = Serve::listening(command).await;
    assert_eq!(serve.printed.len(), 1, "no file is named");
    let client = serve.client.header("authorization", "Bearer from-the-environment");
    client.get("/v1/rooms").await.ok();
    assert!(!may_approve(&client).await, "nothing gives it that right");
    assert!(!place.data().join("token").exists());
    drop(serve);

    let mut short = place.serve();
    let output = short.env("PLANCARD_TOKEN", "short").output().await.unwrap();
    assert!(!output.status.success());
    assert!(said(&output.stderr).contains("PLANCARD_TOKEN"), "{}", said(&output.stderr));
}

/// What a program started with stays in its memory, where `/proc` shows it to others.
#[tokio::test]
async fn the_token_of_the_environment_is_not_in_its_environment() {
    let place = Place::new("");
    let mut command = place.serve();
    command.env("PLANCARD_TOKEN", "from-the-environment").env("NAMED", "for-the-test");
    let serve = Serve::listening(command).await;
    match std::fs::read(format!("/proc/{}/environ", serve.id())) {
        Ok(environment) => {
            let environment = said(&environment);
            assert!(environment.contains("NAMED=for-the-test"), "{environment}");
            assert!(!environment.contains("from-the-environment"), "{environment}");
        }
        // Nobody but root gets as far.
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied),
    }
    let client = serve.client.header("authorization", "Bearer from-the-environment");
    client.get("/v1/rooms").await.ok();
    // A pipe of an earlier life, or of another program, is nobody's token.
    let mut command = place.serve();
    command.env("PLANCARD_TOKEN_PIPE", "1:0");
    drop(serve);
    let serve = Serve::listening(command).await;
    serve.client.get("/v1/rooms").await.ok();
}

/// Another program of the same user, outside of every sandbox, does not see into it.
#[tokio::test]
async fn its_memory_environment_and_open_files_are_closed_to_programs_of_the_same_user() {
    const NOBODY: u32 = 65_534;
    let place = Place::new("");
    let mut command = place.serve();
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    let as_user = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"];
    // Root sees into everything, so it becomes somebody else.
    if is_root {
        for folder in [place.home().to_owned(), place.home().join("config"), place.config()] {
            std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let own = place.home().join("plancard");
        std::fs::copy(program("plancard"), &own).unwrap();
        command = place.command(std::path::Path::new("setpriv"));
        command.args(as_user).arg(own).arg("serve");
    }
    command.env("PLANCARD_TOKEN", "from-the-environment");
    let serve = Serve::listening(command).await;
    let secret = serve.client.header("authorization", "Bearer from-the-environment");
    secret.get("/v1/rooms").await.ok();
    for name in ["environ", "maps", "mem", "fd/0"] {
        let mut reader = match is_root {
            true => std::process::Command::new("setpriv"),
            false => std::process::Command::new("env"),
        };
        reader.args(is_root.then_some(as_user).into_iter().flatten());
        reader.args(["head", "-c1"]).arg(format!("/proc/{}/{name}", serve.id()));
        let read = reader.output().unwrap();
        assert!(!read.status.success(), "{name}: {}", said(&read.stdout));
        assert!(said(&read.stderr).contains("ermission denied"), "{name}: {}", said(&read.stderr));
    }
}

/// Whether a token may approve, asked about a room that is not there.
async fn may_approve(client: &Client) -> bool {
    let body = json!({ "revision": 1, "hash": "0".repeat(64) });
    let nowhere = format!("/v1/rooms/{}/plan/approve", engine::fresh_id());
    match client.post(&nowhere, body).await.refusal() {
        (403, code) if code == "FORBIDDEN" => false,
        (404, _) => true,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_its_token_may_do_stands_in_the_environment_or_in_the_file() {
    let files = ["", "api: { rights: [read, run] }\n", "api: { rights: [read, approve] }\n"];
    for (file, in_file) in files.into_iter().zip([None, Some(false), Some(true)]) {
        for given in [false, true] {
            for (said, in_words) in
                [(None, None), (Some("read"), Some(false)), (Some("read, approve"), Some(true))]
            {
                let place = Place::new(file);
                let mut command = place.serve();
                command.envs(given.then_some(("PLANCARD_TOKEN", "from-the-environment")));
                command.envs(said.map(|said| ("PLANCARD_RIGHTS", said)));
                let serve = Serve::listening(command).await;
                let client = match given {
                    true => serve.client.header("authorization", "Bearer from-the-environment"),
                    false => serve.client.clone(),
                };
                let wanted = in_words.or(in_file).unwrap_or(false);
                assert_eq!(may_approve(&client).await, wanted, "{file:?} {given} {said:?}");
            }
        }
    }
    let place = Place::new("");
    for bad in ["", "read,everything", "approve", "Read"] {
        let mut command = place.serve();
        let output = command.env("PLANCARD_RIGHTS", bad).output().await.unwrap();
        let words = said(&output.stderr);
        assert!(!output.status.success() && words.contains("PLANCARD_RIGHTS has"), "{words}");
        assert!(words.contains("allowed: read, supervise, run, approve"), "{words}");
        assert_eq!(said(&output.stdout), "");
    }
    let output = Place::new("api:\n  rights: [read, all]\n").run(&[]).await;
    let words = said(&output.stderr);
    assert!(words.contains("plancard.yaml:2: api.rights has \"all\"; allowed: read"), "{words}");
}

#[tokio::test]
async fn a_fresh_token_approves_nothing_not_after_a_restart_either_until_it_is_given_that() {
    let steps = json!([{ "text": "one", "tool": "write_file", "target": "a.md" }]);
    let model = ScriptedModel::start(vec![
        plan_write_with("goal", steps, json!({})),
        Reply::call("write_file", json!({ "path": "a.md", "content": "x" })),
        step_done("s1", "a"),
        Reply::text("done"),
    ])
    .await;
    let place = Place::with_model(&model, "");
    let workspace = TempWorkspace::new(&[]);
    let mut serve = place.start().await;
    let room = json!({ "workspace": workspace.path(), "plan_mode": "strict" });
    let room = serve.client.post("/v1/rooms", room).await.ok();
    let path = format!("/v1/rooms/{}", room["id"].as_str().unwrap());
    serve.client.post(&format!("{path}/messages"), json!({ "text": "do it" })).await.ok();
    let asked = async |client: &Client| {
        let asks = client.get("/v1/asks").await.ok();
        asks["items"][0]["id"].as_str().map(str::to_owned)
    };
    let ask =
        wait_for_some(async || asked(&serve.client).await, "the plan to be asked about").await;
    let plan = serve.client.get(&format!("{path}/plan")).await.ok();
    let seen = json!({ "revision": plan["revision"], "hash": plan["hash"] });
    let mut answer = seen.clone();
    answer["answer"] = json!("approve");
    for life in ["the first", "the second"] {
        let client = &serve.client;
        for refused in [
            client.post(&format!("{path}/plan/approve"), seen.clone()).await,
            client.post(&format!("{path}/plan/reject"), json!({})).await,
            client.post(&format!("/v1/asks/{ask}/answer"), answer.clone()).await,
            client
                .send("PUT", &format!("{path}/plan-mode"), Some("{\"mode\":\"off\"}".into()))
                .await,
        ] {
            assert_eq!(refused.refusal(), (403, "FORBIDDEN".to_owned()), "{life}");
            let words = refused.body["error"]["message"].to_string();
            assert!(words.contains("`approve`") && words.contains("PLANCARD_RIGHTS"), "{words}");
        }
        let view = client.get(&path).await.ok();
        assert_eq!(view["plan"]["state"], "awaiting_approval", "{life}: {view}");
        assert!(serve.terminate().await.success());
        serve = place.start().await;
    }
    assert!(serve.terminate().await.success());
    let mut command = place.serve();
    command.env("PLANCARD_RIGHTS", "read,approve");
    let serve = Serve::listening(command).await;
    serve.client.post(&format!("{path}/plan/approve"), seen).await.ok();
    wait_for(async || workspace.has("a.md"), "what was approved").await;
}

#[tokio::test]
async fn a_second_one_on_the_same_data_says_so_and_leaves() {
    let place = Place::new("");
    let serve = place.start().await;
    let address = serve.client.address.to_string();
    for args in [&[][..], &["--listen", &address]] {
        let second = place.run(args).await;
        let words = said(&second.stderr);
        assert!(!second.status.success());
        assert_eq!(said(&second.stdout), "", "it never listens");
        assert!(words.contains("in use by another Plancard"), "{words}");
        assert!(words.contains(&place.data().display().to_string()), "{words}");
    }
    serve.client.get("/v1/rooms").await.ok();
}

#[tokio::test]
async fn programs_of_the_person_come_in_by_a_socket_and_one_left_behind_is_replaced() {
    let place = Place::new("");
    let socket = place.data().join("plancard.sock");
    for life in ["the first", "the second"] {
        let serve = place.start().await;
        let mode = std::fs::metadata(&socket).expect(life).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{life}");
        let person = Client::on_socket(&place.data());
        person.get("/v1/rooms").await.ok();
        assert!(may_approve(&person).await, "{life}");
        assert!(!may_approve(&serve.client).await, "{life}");
        serve.kill().await;
        assert!(socket.exists(), "killed, it leaves its socket");
    }
}

#[tokio::test]
async fn only_loopback_is_listened_on() {
    let place = Place::new("");
    for address in ["0.0.0.0:0", "[::]:0", "192.168.1.1:80"] {
        let output = place.run(&["--listen", address]).await;
        assert!(!output.status.success(), "{address}");
        assert!(said(&output.stderr).contains("loopback"), "{}", said(&output.stderr));
        assert_eq!(said(&output.stdout), "");
    }
    assert!(!place.data().exists(), "nothing was begun");
}

#[tokio::test]
async fn a_bad_configuration_is_named_with_its_line_and_nothing_starts() {
    let place = Place::new("caps:\n  steps: 20\n  attempts: many\n");
    let output = place.run(&[]).await;
    let words = said(&output.stderr);
    assert!(!output.status.success());
    assert!(words.contains("plancard.yaml:3"), "{words}");
    assert_eq!(said(&output.stdout), "");

    let output = place.run(&["--config", "/nowhere/plancard.yaml"]).await;
    assert!(!output.status.success());
    assert!(said(&output.stderr).contains("plancard.yaml"), "{}", said(&output.stderr));
}

#[tokio::test]
async fn an_unknown_word_is_refused_and_help_is_given() {
    let place = Place::new("");
    let output = place.run(&["--port", "1"]).await;
    assert!(!output.status.success());
    assert!(said(&output.stderr).contains("--listen"), "{}", said(&output.stderr));
    let output = place.run(&["--help"]).await;
    assert!(output.status.success());
    assert!(said(&output.stdout).contains("--listen"));
}

#[tokio::test]
async fn a_configuration_file_named_by_a_short_path_keeps_other_folders_usable() {
    let place = Place::new(&format!("{REHEARSAL}workspaces: [{:?}]\n", std::env::temp_dir()));
    let workspace = TempWorkspace::new(&[]);
    let own = place.config().parent().unwrap().to_owned();
    let mut command = place.serve();
    command.env_remove("PLANCARD_CONFIG").args(["--config", "plancard.yaml"]).current_dir(&own);
    let serve = Serve::listening(command).await;
    let room = |folder: &std::path::Path| json!({ "workspace": folder });
    serve.client.post("/v1/rooms", room(&workspace.path())).await.ok();
    let refused = serve.client.post("/v1/rooms", room(&own)).await.refusal();
    assert_eq!(refused, (422, "BAD_WORKSPACE".to_owned()), "it holds the configuration");
    std::fs::create_dir(own.join("project")).unwrap();
    serve.client.post("/v1/rooms", room(&own.join("project"))).await.ok();
}

#[tokio::test]
async fn sigterm_pauses_the_plan_and_the_next_start_shows_it() {
    let model = ScriptedModel::start(vec![
        plan_write("goal", &["one", "two"]),
        Reply::call("shell", json!({ "command": "touch begun; while true; do sleep 0.05; done" })),
        step_done("s1", "a"),
        step_done("s2", "b"),
        Reply::text("done"),
    ])
    .await;
    let place = Place::with_model(&model, "");
    let workspace = TempWorkspace::new(&[]);
    let serve = place.start().await;
    let client = &serve.client;
    let room = client.post("/v1/rooms", json!({ "workspace": workspace.path() })).await.ok();
    let path = format!("/v1/rooms/{}", room["id"].as_str().unwrap());
    client.post(&format!("{path}/messages"), json!({ "text": "do it" })).await.ok();
    wait_for(async || workspace.has("begun"), "the command to begin").await;
    // An open stream must not keep it from stopping.
    let _open = client.follow(&format!("{path}/stream"), None).await;
    assert_eq!(serve.terminate().await.code(), Some(0));

    let serve = place.start().await;
    let plan = serve.client.get(&format!("{path}/plan")).await.ok();
    assert_eq!((&plan["state"], &plan["pause_reason"]), (&json!("paused"), &json!("interrupted")));
    assert_eq!(
        serve.client.get("/v1/asks").await.ok()["items"],
        json!([]),
        "it was ended in order"
    );
    assert_eq!(model.requests().len(), 2, "nothing goes on by itself");
    serve.client.press(&format!("{path}/plan/resume")).await.ok();
    let id = plan["id"].as_str().unwrap();
    let stream = serve.client.follow(&format!("/plans/{id}/stream"), None).await.to_end().await;
    assert_eq!(stream.last().unwrap().data["status"], "complete");
    assert_eq!(serve.client.get(&format!("{path}/plan")).await.ok(), Value::Null);
}

/// Servers that tell what they were given, each in its own way: by an answer to every request, and
/// by dying words.
#[tokio::test]
async fn secrets_that_servers_repeat_do_not_reach_the_error_output() {
    let model = ScriptedModel::start(vec![
        Reply::call("answers__x", json!({})),
        Reply::call("dies__x", json!({})),
        Reply::text("done"),
    ])
    .await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut heard = vec![0; 64 * 1024];
            let length = stream.read(&mut heard).await.unwrap_or(0);
            let heard = said(&heard[..length]);
            let header = heard.lines().find(|line| line.to_lowercase().starts_with("auth"));
            let words = format!("who is {}? \x1b[2J", header.unwrap_or("nobody"));
            let head = "HTTP/1.1 400 No\r\ncontent-type: text/plain\r\nconnection: close";
            let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{words}", words.len());
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    let place = Place::with_model(
        &model,
        &format!(
            "mcp_servers:\n  answers:\n    url: \"http://{address}/\"\n    \
             headers: {{ Authorization: \"Bearer SECRET-in-a-header\" }}\n  \
             dies:\n    command: /bin/bash\n    args: [\"-c\", \"echo my key is $MY_API_KEY \
             $'\\\\x1b[2J' >&2; exit 3\"]\n    env: {{ MY_API_KEY: SECRET-in-the-environment }}"
        ),
    );
    let workspace = TempWorkspace::new(&[]);
    let serve = place.start().await;
    let client = &serve.client;
    let room = client.post("/v1/rooms", json!({ "workspace": workspace.path() })).await.ok();
    let path = format!("/v1/rooms/{}/messages", room["id"].as_str().unwrap());
    client.post(&path, json!({ "text": "do it" })).await.ok();
    model.request(2).await;
    let errors = serve.errors().await;
    assert!(errors.contains("who is ") && errors.contains("my key is [redacted]"), "{errors}");
    assert!(!errors.contains("SECRET"), "{errors}");
    assert!(!errors.contains('\x1b'), "{errors:?}");
}

#[tokio::test]
async fn plancard_itself_loads_no_window_library() {
    let output = tokio::process::Command::new("ldd")
        .arg(program("plancard"))
        .output()
        .await
        .expect("ldd can be started");
    let libraries = said(&output.stdout).to_lowercase();
    assert!(libraries.contains("libc.so"), "{libraries}");
    for word in ["gtk", "gdk", "webkit", "javascriptcore", "libx11", "wayland"] {
        assert!(!libraries.contains(word), "{word} in {libraries}");
    }
}
