//! What a command can see and change.

use crate::support::{Desk, desk};
use serde_json::json;
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tools::sandbox::Bubblewrap;
use tools::{Profile, Toolbox, Workspace};

async fn sees(desk: &Desk, path: &Path) -> bool {
    // Not understood as looking, so it runs in the profile of the desk.
    let output = desk.shell(&format!("{{ test -e '{}'; }}", path.display())).await;
    !output.failed
}

#[tokio::test]
async fn looking_changes_nothing() {
    let desk = desk().looking();
    desk.put("a", "1");
    for attack in ["echo x > a", "touch b", "rm a", "mkdir d", "git init -q ."] {
        assert!(desk.shell(attack).await.failed, "{attack}");
    }
    assert_eq!(desk.get("a"), "1");
    assert_eq!(std::fs::read_dir(desk.ws.root()).unwrap().count(), 1);
    assert_eq!(desk.shell("echo x > /tmp/t; cat /tmp/t a").await.text, "x\n1");
}

#[tokio::test]
async fn a_command_taken_for_looking_is_held_to_it() {
    let desk = desk();
    desk.put("a", "1");
    assert_eq!(desk.shell("cat a").await.text, "1");
    assert_eq!(desk.ctx.profile, Profile::Work);
    let mounts = desk.shell("grep /tmp/ /proc/self/mounts").await.text;
    let line = mounts.lines().find(|line| line.contains(desk.ws.root().to_str().unwrap())).unwrap();
    assert!(line.contains(" ro,"), "{line}");
}

#[tokio::test]
async fn work_changes_the_workspace_and_temporary_places_only() {
    let desk = desk();
    let outside = desk.outside.path().join("x");
    for attack in [
        format!("echo x > {}", outside.display()),
        "echo x > /usr/x".into(),
        "echo x > /etc/x".into(),
        "echo x > /x".into(),
        "mkdir /var/x".into(),
        "echo 1 > /proc/sys/kernel/sysrq".into(),
        "echo x > /usr/bin/ls".into(),
        "mount -o remount,rw /usr && touch /usr/x".into(),
        "chroot / true".into(),
        "mknod /tmp/m b 8 0".into(),
    ] {
        assert!(desk.shell(&attack).await.failed, "{attack}");
    }
    assert!(!outside.exists());
    let allowed =
        desk.shell("echo x > a && echo x > /tmp/a && echo x > ~/a && echo x > /var/tmp/b").await;
    assert!(!allowed.failed, "{}", allowed.text);
    assert!(desk.path("a").exists() && !Path::new("/tmp/a").exists());
    assert!(desk.shell("cat /tmp/a").await.failed, "the temporary folder is new each time");
}

#[tokio::test]
async fn open_changes_no_more_than_work_and_has_only_the_proxy() {
    let mut desk = desk();
    desk.ctx.profile = Profile::Open;
    assert!(!desk.shell("echo x > a").await.failed);
    assert!(desk.shell("echo x > /usr/x").await.failed);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let here = format!("http://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    let refused = desk.shell(&format!("x=1; echo $https_proxy; curl -sS {here}")).await.text;
    assert!(refused.starts_with("http://127.0.0.1:") && refused.contains("was not granted"));
    let near = desk.shell("x=1; curl -sS http://127.0.0.1/; curl -sS http://10.0.0.1/").await;
    assert_eq!(near.text.matches("this computer or on its own network").count(), 2);
    let inside = desk.shell("x=1; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").await;
    assert_eq!(inside.text, "lo\n");
}

#[tokio::test]
async fn loopback_is_out_of_reach() {
    let desk = desk();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    TcpStream::connect(("127.0.0.1", port)).expect("from here it can be reached");
    let output = desk.shell(&format!("exec 3<>/dev/tcp/127.0.0.1/{port}")).await;
    assert!(output.failed && output.text.contains("refused"), "{}", output.text);
    let interfaces = desk.shell("cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '").await;
    assert_eq!(interfaces.text, "lo\n");
}

#[tokio::test]
async fn sockets_of_the_session_are_not_there() {
    let desk = desk();
    let bus = desk.outside.path().join("bus");
    let _listener = UnixListener::bind(&bus).unwrap();
    assert!(!sees(&desk, &bus).await);
    for path in
        ["/run/user", "/run/dbus", "/var/run", "/tmp/.X11-unix", "/run/systemd", "/sys/kernel"]
    {
        assert!(!sees(&desk, Path::new(path)).await, "{path}");
    }
    let processes = desk.shell("ls /proc | grep -c '^[0-9]'; :").await;
    assert!(processes.text.trim().parse::<u32>().unwrap() < 8, "{}", processes.text);
}

#[tokio::test]
async fn secrets_of_the_system_cannot_be_read() {
    let desk = desk();
    assert!(!desk.shell("cat /etc/passwd > /dev/null").await.failed);
    for secret in ["/etc/shadow", "/etc/gshadow"] {
        assert!(desk.shell(&format!("cat {secret}")).await.failed, "{secret}");
    }
}

#[tokio::test]
async fn home_is_empty_but_for_toolchains() {
    let mut desk = desk();
    let home = tempfile::tempdir().unwrap();
    let put = |name: &str| {
        let path = home.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "content").unwrap();
    };
    let secrets = [
        ".ssh/id_ed25519",
        ".cargo/credentials.toml",
        ".cargo/credentials",
        ".netrc",
        ".config/x/key",
        ".local/share/uv/credentials/credentials.toml",
        "letter",
    ];
    let covered = [".nvm/versions/node/v22/etc/npmrc", ".pyenv/versions/3.13/pip.conf"];
    let tools = [
        ".cargo/bin/tool",
        ".cargo/registry/index/x",
        ".rustup/settings.toml",
        ".local/bin/tool",
        ".nvm/x",
        ".local/share/uv/python/x",
        ".local/share/uv/tools/t/x",
    ];
    secrets.iter().chain(&tools).chain(&covered).for_each(|name| put(name));
    desk.toolbox = Toolbox::with_sandbox(Arc::new(Bubblewrap::new(home.path()).unwrap()));
    assert_eq!(desk.shell("printf %s \"$HOME\"").await.text, home.path().to_str().unwrap());
    for name in secrets {
        assert!(!sees(&desk, &home.path().join(name)).await, "{name}");
    }
    for name in tools {
        assert!(sees(&desk, &home.path().join(name)).await, "{name}");
        assert!(desk.shell(&format!("echo x > ~/{name}")).await.failed, "{name}");
    }
    for name in covered {
        assert!(desk.shell(&format!("cat ~/{name}")).await.failed, "{name}");
    }
    let own = std::env::home_dir().unwrap();
    assert!(!sees(&desk, &own.join(".ssh")).await);

    let inside = home.path().join("project");
    std::fs::create_dir(&inside).unwrap();
    desk.ws = Workspace::open(&inside).unwrap();
    assert!(!desk.shell("echo x > made").await.failed, "a workspace in home can be written");
    assert!(inside.join("made").exists());
    assert!(desk.shell("cat ../.ssh/id_ed25519").await.failed);

    desk.ws = Workspace::open(home.path()).unwrap();
    assert_eq!(
        desk.fails("shell", serde_json::json!({"command": "cat .netrc"})).await,
        "NO_SANDBOX"
    );
}

#[tokio::test]
async fn a_workspace_that_contains_everything_has_no_shell() {
    let mut desk = desk();
    for folder in ["/", "/tmp", "/usr"] {
        desk.ws = Workspace::open(folder).unwrap();
        let call = serde_json::json!({"command": "echo 1;"}); // in the look profile nothing is walked
        desk.ctx.profile = Profile::Look;
        assert_eq!(desk.fails("shell", call).await, "NO_SANDBOX", "{folder}");
    }
}

#[tokio::test]
async fn hidden_folders_are_empty() {
    let mut desk = desk();
    let data = desk.outside.path().canonicalize().unwrap();
    std::fs::create_dir(data.join("app")).unwrap();
    std::fs::write(data.join("app/token"), "secret").unwrap();
    std::fs::write(data.join("book"), "text").unwrap();
    desk.put("inside/token", "secret");
    desk.put("settings.yaml", "secret");
    desk.put("plain", "text");
    let link_folder = tempfile::tempdir().unwrap();
    let link = link_folder.path().join("link");
    std::os::unix::fs::symlink(&data, &link).unwrap();
    desk.ctx.extra_read = Arc::new([link.clone(), "/none".into()]);
    desk.ctx.hidden = Arc::new([
        data.join("app"),
        desk.path("inside"),
        desk.path("settings.yaml"),
        "/none".into(),
    ]);
    for profile in [Profile::Look, Profile::Work, Profile::Open] {
        desk.ctx.profile = profile;
        assert!(sees(&desk, &data.join("book")).await);
        assert!(sees(&desk, &link.join("book")).await);
        assert!(!sees(&desk, &data.join("app/token")).await);
        assert!(!sees(&desk, &link.join("app/token")).await);
        assert!(!sees(&desk, &desk.path("inside/token")).await);
        assert!(sees(&desk, &desk.path("plain")).await);
        assert!(desk.shell("cat settings.yaml; exit 1").await.text.contains("denied"));
        assert!(desk.shell("echo x > inside/x").await.failed);
        assert!(desk.shell(&format!("echo x > {}", data.join("book").display())).await.failed);
    }
}

/// Whoever gets to it may do what the person may.
#[tokio::test]
async fn a_socket_in_a_hidden_folder_is_out_of_reach_wherever_that_folder_is() {
    let mut desk = desk();
    let above = desk.outside.path().canonicalize().unwrap();
    let folders = [above.join("app"), desk.path("inside/app")];
    let connect = |socket: &Path| {
        let connect = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])";
        format!("python3 -c '{connect}' {}", socket.display())
    };
    let listening: Vec<UnixListener> = folders
        .iter()
        .map(|folder| {
            std::fs::create_dir_all(folder).unwrap();
            let listener = UnixListener::bind(folder.join("x.sock")).unwrap();
            let outside =
                Command::new("bash").args(["-c", &connect(&folder.join("x.sock"))]).status();
            assert!(outside.unwrap().success(), "from here it can be reached");
            listener
        })
        .collect();
    desk.ctx.extra_read = Arc::new([above]);
    desk.ctx.hidden = Arc::new(folders.clone());
    for profile in [Profile::Look, Profile::Work, Profile::Open] {
        desk.ctx.profile = profile;
        for folder in &folders {
            let tried = desk.shell(&connect(&folder.join("x.sock"))).await;
            assert!(tried.failed && tried.text.contains("No such file"), "{}", tried.text);
        }
    }
    drop(listening);
}

/// At another place it would be seen.
#[tokio::test]
async fn a_folder_above_a_hidden_one_stays_where_it_is() {
    let mut desk = desk();
    desk.put("in/app/token", "secret");
    desk.put("in/settings/own.yaml", "secret");
    desk.put("in/plain", "text");
    desk.ctx.hidden = Arc::new([desk.path("in/app"), desk.path("in/settings/own.yaml")]);
    for (from, to) in [("in", "moved"), ("in/settings", "in/moved")] {
        let output = desk.shell(&format!("mv {from} {to}")).await;
        assert!(output.failed && output.text.contains("busy"), "{from}: {}", output.text);
        let moved = json!({ "from": from, "to": to });
        assert_eq!(desk.fails("move_file", moved).await, "HIDDEN");
        assert_eq!(desk.fails("delete_file", json!({ "path": from })).await, "HIDDEN");
    }
    // What is beside it goes wherever it likes.
    assert!(
        !desk.shell("mv in/plain plain && mkdir in/new && echo x > in/settings/x").await.failed
    );
    desk.run("move_file", json!({ "from": "in/new", "to": "new" })).await.unwrap();
    let said = desk.shell("cat in/app/token in/settings/own.yaml; echo ran").await.text;
    assert!(said.contains("ran\n") && !said.contains("secret"), "{said}");
}

#[tokio::test]
async fn a_workspace_below_a_hidden_folder_is_still_there() {
    let mut desk = desk();
    let parent = desk.outside.path().canonicalize().unwrap();
    std::fs::create_dir(parent.join("room")).unwrap();
    std::fs::write(parent.join("token"), "secret").unwrap();
    desk.ws = Workspace::open(parent.join("room")).unwrap();
    desk.ctx.extra_read = Arc::new([parent.clone()]);
    desk.ctx.hidden = Arc::new([parent.clone()]);
    assert!(!desk.shell("echo x > made").await.failed);
    assert!(!sees(&desk, &parent.join("token")).await);
}

const SECRET: &str = "SOME_PROVIDER_API_KEY";

/// Started by the next test with a secret in its environment.
#[tokio::test]
async fn prints_the_environment() {
    if std::env::var_os(SECRET).is_some() {
        print!("{}", desk().shell("env; :").await.text);
    }
}

#[test]
fn the_environment_is_a_short_list() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["sandbox::prints_the_environment", "--exact", "--nocapture"])
        .env(SECRET, "hunter2")
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/x")
        .env("LC_TIME", "C")
        .env("LD_PRELOAD", "/evil/x.so")
        .env("LD_LIBRARY_PATH", "/evil")
        .env("BASH_ENV", "/evil/rc")
        .env("GIT_DIR", "/evil/git")
        .env("SSH_AUTH_SOCK", "/evil/agent")
        .env("PATH", format!("/evil:.:{}", std::env::var("PATH").unwrap()))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("TERM=dumb") && text.contains("LC_TIME=C"), "{text}");
    for word in ["hunter2", SECRET, "DBUS", "/evil", "CARGO_MANIFEST", "XDG", "LD_", "SSH"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    let path = text.lines().find(|line| line.starts_with("PATH=")).unwrap();
    assert!(!path.contains(":.:") && path.contains("/usr/bin"), "{path}");
}

#[tokio::test]
async fn toolchains_run() {
    let desk = desk();
    let output = desk.shell("cargo --version && rustc --version; git --version").await;
    assert!(
        output.text.contains("cargo 1.") && output.text.contains("git version"),
        "{}",
        output.text
    );
}
