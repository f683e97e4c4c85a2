//! Attacks by a command, one row each: none may work. Those on paths are in
//! `escape`, on git in `git` and `hostile_repository`, by system calls in
//! `system_calls`, over the network in `granted`, on the session in `session`.

use crate::support::{Desk, desk, runs};
use serde_json::json;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use tempfile::TempDir;
use tools::sandbox::Bubblewrap;
use tools::{Profile, Toolbox};

/// What a person has in their home.
const AT_HOME: [&str; 6] = [
    ".ssh/id_ed25519",
    ".netrc",
    ".cargo/credentials.toml",
    ".config/gh/hosts.yml",
    ".bashrc",
    ".profile",
];

/// A home with keys in it, and the tools of whoever lives there.
fn at_home() -> (TempDir, Toolbox) {
    let home = tempfile::tempdir().unwrap();
    for name in AT_HOME {
        let path = home.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "KEY-OF-THE-PERSON").unwrap();
    }
    let sandbox = Bubblewrap::new(home.path()).unwrap();
    (home, Toolbox::with_sandbox(Arc::new(sandbox)))
}

/// A desk with things worth stealing around it.
fn among_secrets() -> Desk {
    let mut desk = desk();
    let outside = desk.outside.path().canonicalize().unwrap();
    std::fs::create_dir(outside.join("data")).unwrap();
    std::fs::write(outside.join("data/token"), "TOKEN-OF-THE-API").unwrap();
    std::fs::create_dir(outside.join("config")).unwrap();
    std::fs::write(outside.join("config/plancard.yaml"), "CONFIG-OF-THE-APP").unwrap();
    std::fs::write(outside.join("letter"), "LETTER").unwrap();
    desk.ctx.hidden = Arc::new([outside.join("data"), outside.join("config")]);
    // Even a folder the person listed does not show what is hidden in it.
    desk.ctx.extra_read = Arc::new([outside]);
    desk
}

#[tokio::test]
async fn nothing_is_stolen_or_planted() {
    let mut desk = among_secrets();
    let (home, toolbox) = at_home();
    desk.toolbox = toolbox;
    let outside = desk.outside.path().canonicalize().unwrap();
    let out = outside.display();
    let me = std::process::id();
    let rows = [
        ("the token", format!("cat {out}/data/token")),
        ("the token, by listing", format!("grep -r TOKEN {out}")),
        ("the token, by a link", format!("ln -s {out}/data l; cat l/token")),
        ("the token, by a hard link", format!("ln {out}/data/token t; cat t")),
        ("the configuration", format!("cat {out}/config/*")),
        ("the configuration, changed", format!("echo x > {out}/config/plancard.yaml")),
        ("a listed folder, changed", format!("echo x > {out}/letter")),
        ("our memory", format!("cat /proc/{me}/environ /proc/{me}/maps")),
        ("our folder", format!("ls /proc/{me}/cwd/ /proc/{me}/root/ /proc/{me}/fd/")),
        ("us", format!("kill -9 {me}")),
        (
            "everybody's processes",
            "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c [t]ools-".into(),
        ),
        ("a key", "cat ~/.ssh/id_ed25519".into()),
        ("a key, by its path", format!("cat {}/.ssh/id_ed25519", home.path().display())),
        (
            "keys of programs",
            "cat ~/.netrc ~/.cargo/credentials.toml ~/.config/gh/hosts.yml".into(),
        ),
        ("password hashes", "cat /etc/shadow".into()),
        ("a preloaded library for all", "echo /tmp/x.so > /etc/ld.so.preload".into()),
        (
            "a start-up file",
            "test -e ~root/.bashrc || test -e ~/.bashrc || test -e ~/.profile".into(),
        ),
        ("a cron job", "echo '* * * * * root id' > /etc/cron.d/x".into()),
        ("a way up by mounts", "mkdir /tmp/m && mount --bind / /tmp/m".into()),
        ("a way up by root", "sudo -n true || su -c true || pkexec true".into()),
        ("a device", "cat /dev/mem /dev/sda /dev/kmsg /dev/vda".into()),
        ("a disk", "mknod /tmp/d b 8 0 && cat /tmp/d".into()),
        (
            "the kernel's settings",
            "echo $(cat /proc/sys/kernel/core_pattern) > /proc/sys/kernel/core_pattern".into(),
        ),
        (
            "the kernel's switches",
            "for f in /proc/sys/kernel/modprobe /proc/sys/vm/drop_caches /proc/sysrq-trigger \
             /proc/irq/default_smp_affinity; do test -w $f && exit 0; done; false"
                .into(),
        ),
        ("the kernel's memory", "head -c 8 /proc/kcore /proc/keys".into()),
        ("containers", "test -S /var/run/docker.sock || test -S /run/podman/podman.sock".into()),
    ];
    for profile in [Profile::Look, Profile::Work, Profile::Open] {
        desk.ctx.profile = profile;
        for (what, command) in &rows {
            // In brackets with an assignment it is never taken for looking.
            let output = desk.shell(&format!("x=1; {command}")).await;
            let said = &output.text;
            assert!(output.failed, "{what} in {profile:?}: {said}");
            for secret in ["TOKEN-OF-THE-API", "CONFIG-OF-THE-APP", "KEY-OF-THE-PERSON"] {
                assert!(!said.contains(secret), "{what} in {profile:?}: {said}");
            }
        }
    }
    assert_eq!(std::fs::read_to_string(outside.join("letter")).unwrap(), "LETTER");
}

/// A link that a command leaves in the workspace leads no file tool out.
#[tokio::test]
async fn links_planted_by_a_command_lead_nowhere() {
    let desk = among_secrets();
    let out = desk.outside.path().canonicalize().unwrap();
    desk.shell(&format!("ln -s {0}/letter l; ln -s {0} d; ln -s / root; :", out.display())).await;
    for path in ["l", "d/letter", &format!("root{}/letter", out.display())] {
        for (tool, args) in [
            ("read_file", json!({ "path": path })),
            ("write_file", json!({ "path": path, "content": "x" })),
            ("edit_file", json!({ "path": path, "old": "LETTER", "new": "x" })),
        ] {
            assert_eq!(desk.fails(tool, args).await, "OUTSIDE_WORKSPACE", "{tool} {path}");
        }
    }
    let found = desk.run("search", json!({"pattern": "LETTER"})).await.unwrap();
    assert_eq!(found.text, "(nothing matches)");
    let listed = desk.run("glob", json!({"pattern": "**/letter"})).await.unwrap();
    assert_eq!(listed.text, "(nothing matches)");
}

/// No descriptor of ours that a command inherits leads to a folder or file.
#[tokio::test]
async fn no_folder_is_open_inside() {
    let desk = desk();
    for profile in [Profile::Look, Profile::Work] {
        let mut ctx = desk.ctx.clone();
        ctx.profile = profile;
        let list = json!({ "command": "x=1; ls -l /proc/[0-9]*/fd /proc/self/fd 2>/dev/null; :" });
        let open = desk.toolbox.run("shell", &list, &desk.ws, &ctx).await.unwrap().text;
        assert!(open.contains("pipe:["), "{open}");
        let folders: Vec<&str> = open
            .lines()
            .filter_map(|line| line.split(" -> ").nth(1))
            .filter(|target| target.starts_with('/') && !target.starts_with("/dev/null"))
            .filter(|target| !target.starts_with("/proc/"))
            .collect();
        assert_eq!(folders, Vec::<&str>::new(), "{open}");
    }
}

#[tokio::test]
async fn what_we_were_left_open_is_not_handed_on() {
    let desk = desk();
    std::fs::write(desk.outside.path().join("letter"), "LETTER").unwrap();
    // As whoever starts us may leave one: a door to everything.
    let door = std::fs::File::open(desk.outside.path()).unwrap();
    rustix::io::fcntl_setfd(&door, rustix::io::FdFlags::empty()).unwrap();
    let number = door.as_raw_fd();
    let tried = format!(
        "for one in self 1 $$ $PPID; do cat /proc/$one/fd/{number}/letter; \
         touch /proc/$one/fd/{number}/planted; done; ls -l /proc/self/fd /proc/1/fd; true"
    );
    let output = desk.shell(&tried).await;
    assert!(!output.text.contains("LETTER"), "{}", output.text);
    assert!(!output.text.contains(desk.outside.path().to_str().unwrap()), "{}", output.text);
    assert!(!desk.outside.path().join("planted").exists());
}

#[tokio::test]
async fn a_fork_bomb_is_stopped_and_leaves_nothing() {
    let desk = desk();
    let bomb = "bomb_marker() { bomb_marker | bomb_marker & }; bomb_marker; sleep 1000";
    let error = desk.run("shell", json!({ "command": bomb })).await.unwrap_err();
    assert_eq!(error.code(), "TOO_MANY_PROCESSES");
    assert!(!runs("bomb_marker"));
}

#[tokio::test]
async fn memory_for_temporary_files_has_an_end() {
    let desk = desk();
    let output = desk.shell("head -c 3000000000 /dev/zero > /tmp/x; ls -l /tmp/x").await;
    assert!(output.text.contains("No space left"), "{}", output.text);
}

#[tokio::test]
async fn shared_memory_has_an_end_and_devices_hold_nothing_else() {
    let desk = desk();
    let output = desk.shell("head -c 700000000 /dev/zero > /dev/shm/x; wc -c < /dev/shm/x").await;
    assert!(output.text.contains("No space left"), "{}", output.text);
    assert!(output.text.contains("536870912"), "{}", output.text);
    let output = desk
        .shell("echo x > /dev/x; echo y > /dev/null; echo z > /dev/shm/z; cat /dev/shm/z")
        .await;
    assert!(output.text.contains("/dev/x: Read-only file system"), "{}", output.text);
    assert!(output.text.ends_with("z\n"), "{}", output.text);
}

/// Each is small; the kernel counts them as processes.
#[tokio::test]
async fn a_command_with_too_many_threads_is_stopped() {
    let desk = desk();
    let script = "import threading, time\n\
                  threading.stack_size(65536)\n\
                  try:\n  \
                    while True: threading.Thread(target=time.sleep, args=(100,), daemon=True).start()\n\
                  except RuntimeError: print('limited', flush=True)\n";
    desk.put("bomb.py", script);
    let ran = desk.run("shell", json!({ "command": "python3 bomb.py many_threads_marker" })).await;
    match ran {
        // By the system, where it counts for the person.
        Ok(output) => assert!(output.text.contains("limited"), "{}", output.text),
        Err(error) => {
            assert_eq!(error.code(), "TOO_MANY_PROCESSES");
            assert!(error.to_string().contains("2048 processes and threads"), "{error}");
        }
    }
    assert!(!runs("many_threads_marker"));
}

/// Cancelling leaves no process and no folder behind, and the descriptors of
/// all the pipes are given back.
#[tokio::test]
async fn cancel_leaves_nothing_behind() {
    let temporary = || {
        let names = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
        let ours = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        ours.filter(|name| name.contains("plancard") || name.contains("bwrap")).count()
    };
    let before = temporary();
    for network in [json!([]), json!(["a.example"])] {
        let desk = desk();
        let command = "mkdir /tmp/x ~/y; exec -a nothing-left-marker sleep 1000";
        let call = desk.run("shell", json!({ "command": command, "network": network }));
        let stop = async {
            crate::support::until("it runs", || runs("nothing-left-marker")).await;
            desk.ctx.cancel.cancel();
        };
        let (answer, ()) = tokio::join!(call, stop);
        assert_eq!(answer.unwrap_err().code(), "CANCELLED");
        assert!(!runs("nothing-left-marker"));
        assert_eq!(std::fs::read_dir(desk.ws.root()).unwrap().count(), 0);
    }
    assert_eq!(temporary(), before);
}
