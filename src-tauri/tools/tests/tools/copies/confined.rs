//! Git that we start ourselves, as if somebody had taken it over: it gets nowhere.

use super::{Pair, all_files, make, write};
use crate::support::runs;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tools::Workspace;

/// Names the workspace when this test program is the one to copy it.
const TO_BE_COPIED: &str = "PLANCARD_TEST_COPIED";
/// Once this is there, it wants the copy no more.
const UNWANTED: &str = "unwanted";
const SECRET: &str = "what only the home has";

#[test]
fn a_program_that_makes_a_copy() {
    // Only for the tests below, which start this one alone.
    let Some(ws) = std::env::var_os(TO_BE_COPIED).map(PathBuf::from) else { return };
    let (copy, unwanted) = (ws.with_file_name("copies").join("one"), ws.with_file_name(UNWANTED));
    let (cancel, token) = (CancellationToken::new(), CancellationToken::new());
    let (over, wanted) = (token.clone(), cancel.clone());
    let watching = std::thread::spawn(move || {
        while !over.is_cancelled() {
            if unwanted.exists() {
                wanted.cancel();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    });
    let made = make(&Workspace::open(&ws).unwrap(), &copy, &cancel);
    token.cancel();
    watching.join().unwrap();
    println!("made: {made:?}");
}

/// A workspace with something in each way out, and a home with a git of somebody else's.
struct Stage {
    pair: Pair,
    home: PathBuf,
}

impl Stage {
    /// `git` is what it does in place of git, which is `$git`.
    fn new(git: &str) -> Self {
        let pair = Pair::repository(&[("a.txt", "1\n"), (".gitignore", "found/\n")]);
        write(&pair.ws, "a.txt", "two\n");
        let home = pair.ws.with_file_name("home");
        write(&home, "a.txt", SECRET);
        let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|folder| folder.join("git"))
            .find(|git| git.is_file())
            .unwrap();
        let (named, at_home, real) = (pair.ws.display(), home.display(), real.display());
        let script = format!("#!/bin/bash\nws={named} home={at_home} git={real}\n{git}\n");
        let stage = Self { pair, home };
        write(&stage.programs(), "git", &script);
        let file = stage.programs().join("git");
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
        stage
    }

    /// The folder with all of it.
    fn root(&self) -> &Path {
        self.pair.ws.parent().unwrap()
    }

    fn programs(&self) -> PathBuf {
        self.home.join(".local/bin")
    }

    /// The program that makes the copy, with these folders to look for others in.
    fn program(&self, path: &[PathBuf]) -> Command {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program
            .args(["--exact", "--nocapture", "copies::confined::a_program_that_makes_a_copy"])
            .env(TO_BE_COPIED, &self.pair.ws)
            .env("HOME", &self.home)
            .env("PATH", std::env::join_paths(path).unwrap());
        program
    }

    fn all_programs(&self) -> Vec<PathBuf> {
        let path = std::env::var_os("PATH").unwrap();
        [self.programs()].into_iter().chain(std::env::split_paths(&path)).collect()
    }

    /// What came of a copy.
    fn copied(&self, path: &[PathBuf]) -> String {
        let ended = self.program(path).output().unwrap();
        assert!(ended.status.success(), "{ended:?}");
        String::from_utf8(ended.stdout).unwrap()
    }
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    all_files(folder, &mut files);
    files
}

#[test]
fn git_of_ours_reads_changes_and_reaches_nothing_else() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // What it was able to do it names as tracked: of an ignored folder, only that is copied.
    let loopback = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    let tries = [
        ("ran", "true"),
        ("read-objects", "[ -n \"$(ls $ws/.git/objects)\" ]"),
        ("read-home", "cat $home/a.txt"),
        ("read-workspace", "cat $ws/a.txt"),
        ("reached-loopback", &loopback),
        ("changed-objects", "echo x >$ws/.git/objects/planted"),
        ("changed-clone", "echo x >$ws/../copies/one.making/work/.git/hooks/planted"),
    ];
    let mut git = "case \"$*\" in *ls-files*) ;; *) exec $git \"$@\";; esac\n".to_owned();
    // What lies around is not there, but may seem to be.
    git += "for at in $ws $ws/.. $home $ws/../copies/one.making; do echo x >$at/planted; done\n";
    for (name, command) in &tries {
        git += &format!("( {command} ) >/dev/null 2>&1 && printf '1 1 0\\tfound/{name}\\0'\n");
    }
    let stage = Stage::new(&(git + "exit 0"));
    tries.iter().for_each(|(name, _)| write(&stage.pair.ws, &format!("found/{name}"), ""));
    let said = stage.copied(&stage.all_programs());
    let found = stage.pair.work().join("found");
    let found = fs::read_dir(found).unwrap_or_else(|error| panic!("{error}: {said}"));
    let mut found: Vec<_> = found.flatten().map(|entry| entry.file_name()).collect();
    found.sort();
    assert_eq!(found, ["ran", "read-objects"], "{said}");
    let planted = files(stage.root()).into_iter().map(|(path, _)| path);
    let planted: Vec<_> = planted.filter(|path| path.ends_with("planted")).collect();
    assert_eq!(planted, [""; 0].map(PathBuf::from));
}

#[test]
fn what_git_of_ours_leaves_leads_nowhere() {
    // It puts links where it wrote, and where what it is asked and answers could be.
    let stage = Stage::new(
        "for at in \"$@\"; do case $at in --prefix=*) at=${at#--prefix=}; at=${at%/}
         rm -rf $at; ln -s $home $at; exit 0;; esac; done
         for at in question answer; do ln -sf $home/a.txt $at; done
         exec $git \"$@\"",
    );
    let said = stage.copied(&stage.all_programs());
    assert!(said.contains(r#"made: Err(Tool(Outside { path: "committed/a.txt" }))"#), "{said}");
    let copies = files(stage.pair.copy.parent().unwrap());
    assert_eq!(copies, [], "nothing is left");
    assert_eq!(fs::read_to_string(stage.home.join("a.txt")).unwrap(), SECRET);
}

#[test]
fn without_a_sandbox_git_is_not_asked() {
    let stage = Stage::new("echo x >$ws/../planted; exec $git \"$@\"");
    let said = stage.copied(&[stage.programs()]);
    assert!(said.contains("made: Ok"), "{said}");
    assert!(!stage.root().join("planted").exists());
    assert_eq!(fs::read_to_string(stage.pair.work().join("a.txt")).unwrap(), "two\n");
}

#[test]
fn git_of_ours_ends_with_the_copy_that_nobody_wants() {
    let mark = format!("unwanted-{}-marker", std::process::id());
    // One of the two has left the session.
    let stage = Stage::new(&format!(
        "setsid bash -c 'exec -a {mark} sleep 1000' & exec -a {mark} sleep 1000"
    ));
    let mut program = stage.program(&stage.all_programs()).stdout(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while !runs(&mark) {
        assert!(started.elapsed() < Duration::from_secs(60), "it never ran");
        std::thread::sleep(Duration::from_millis(2));
    }
    write(stage.root(), UNWANTED, "");
    assert!(program.wait().unwrap().success());
    assert!(!runs(&mark), "it runs on");
    assert!(!stage.pair.copy.exists());
}
