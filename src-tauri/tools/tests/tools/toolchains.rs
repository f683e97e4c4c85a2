//! Ordinary work in an ordinary project: toolchains are found, home is hidden.

use crate::support::{Desk, desk};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

async fn works(desk: &Desk, command: &str) -> String {
    let output = desk.shell(command).await;
    assert!(!output.failed, "{command}: {}", output.text);
    output.text
}

#[tokio::test]
async fn cargo_builds_and_tests() {
    let desk = desk();
    desk.put(
        "Cargo.toml",
        "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    desk.put("build.rs", "fn main() { println!(\"cargo:rustc-cfg=built\"); }");
    desk.put("src/main.rs", "fn main() { println!(\"hello\"); }\n#[test]\nfn it() {}\n");
    works(&desk, "cargo build --quiet").await;
    assert_eq!(works(&desk, "./target/debug/small").await, "hello\n");
    assert!(works(&desk, "cargo test --quiet").await.contains("1 passed"));
}

/// Looking at a project without a lock file would write one; what to do is said.
#[tokio::test]
async fn cargo_that_looks_says_how_it_gets_its_lock_file() {
    let desk = desk();
    let package = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    desk.put("Cargo.toml", package);
    desk.put("src/main.rs", "fn main() {}\n");
    let output = desk.shell("cargo tree").await;
    assert!(output.failed, "{}", output.text);
    assert!(
        output.text.contains("make one first with `cargo generate-lockfile`"),
        "{}",
        output.text
    );
    works(&desk, "cargo metadata --no-deps --offline").await;
    works(&desk, "cargo generate-lockfile").await;
    assert!(works(&desk, "cargo tree").await.starts_with("small v0.1.0"));
}

/// The attack: a project names programs that cargo runs for as much as a look at it.
#[tokio::test]
async fn cargo_that_looks_runs_nothing_that_the_project_names() {
    let evil = "#!/bin/sh\necho evil ran >&2\nexec rustc \"$@\"\n";
    let at = |desk: &Desk| desk.path("evil").display().to_string();
    for settings in [
        "[build]\nrustc = \"EVIL\"\n",
        "[build]\nrustc-wrapper = \"EVIL\"\n",
        "[build]\nrustc-workspace-wrapper = \"EVIL\"\n",
        "[build]\nrustflags = [\"-Cevil=ran\"]\n",
        "[alias]\nmetadata = \"evil ran\"\ntree = \"evil ran\"\n",
        "",
    ] {
        let desk = desk();
        let package = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        desk.put("Cargo.toml", package);
        desk.put("src/main.rs", "fn main() {}\n");
        desk.put("evil", evil);
        desk.put("tools/bin/cargo", evil);
        works(&desk, "chmod +x evil tools/bin/cargo && ln -s cargo tools/bin/rustc").await;
        works(&desk, "cargo generate-lockfile").await;
        match settings {
            "" => {
                let path = desk.path("tools");
                let named = format!("[toolchain]\npath = \"{}\"\n", path.display());
                desk.put("rust-toolchain.toml", &named);
            }
            _ => desk.put(".cargo/config.toml", settings.replace("EVIL", &at(&desk))),
        }
        for command in ["cargo tree", "cargo metadata --format-version 1", "cargo --version"] {
            let said = works(&desk, command).await;
            assert!(!said.contains("evil"), "{settings} {command}: {said}");
        }
    }
}

#[tokio::test]
async fn npm_tests() {
    let desk = desk();
    desk.put(
        "package.json",
        r#"{ "name": "small", "version": "0.1.0", "scripts": { "test": "node --test" } }"#,
    );
    desk.put(
        "small.test.js",
        "const test = require('node:test');\nconst net = require('node:net');\n\
         test('it', () => {});\n\
         test('listens', (t, done) => { const s = net.createServer().listen(0, '127.0.0.1', () => s.close(done)); });\n",
    );
    let said = works(&desk, "npm test").await;
    assert!(said.contains("pass 2"), "{said}");
}

/// Made by `cargo xtask test`, which needs the network for it once.
fn pytest() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let folder = target.join("pytest");
    assert!(folder.join("bin/python").exists(), "`cargo xtask test` makes {}", folder.display());
    folder
}

#[tokio::test]
async fn pytest_tests() {
    let mut desk = desk();
    let venv = pytest();
    desk.ctx.extra_read = Arc::new([venv.clone()]);
    desk.put("test_small.py", "import tempfile\n\ndef test_it(tmp_path):\n    (tmp_path / 'a').write_text('x')\n    tempfile.mkdtemp()\n");
    let said = works(&desk, &format!("{}/bin/python -m pytest -q", venv.display())).await;
    assert!(said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn git_commits_with_a_hook_of_the_project() {
    let desk = desk();
    works(&desk, "git init -q . && git -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m first").await;
    desk.put("a", "1");
    works(&desk, "git add a && git -c user.name=A -c user.email=a@example.com commit -qm second")
        .await;
    assert_eq!(works(&desk, "git log --format=%s").await, "second\nfirst\n");
}

/// Says that this test program was started with a home of its own.
const IN_ANOTHER_HOME: &str = "PLANCARD_TEST_HOME";

/// Starts one test of this program again, with a home of its own.
fn again_in(home: &Path, test: &str) {
    let again = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env("HOME", home)
        .env(IN_ANOTHER_HOME, "1")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("GIT_CONFIG_GLOBAL")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && said.contains("1 passed"), "{again:?}");
}

/// The person's name is known as it is outside, and nothing else of their settings is.
#[tokio::test]
async fn git_commits_as_the_person() {
    if std::env::var_os(IN_ANOTHER_HOME).is_none() {
        let home = tempfile::tempdir().unwrap();
        return again_in(home.path(), "toolchains::git_commits_as_the_person");
    }
    let home = std::env::home_dir().unwrap();
    let put = |name: &str, text: &str| {
        std::fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        std::fs::write(home.join(name), text).unwrap();
    };
    let desk = desk();
    let commit = "git commit -q --allow-empty -m x && git log -1 --format='%an %ae %cn'";
    works(&desk, "git init -q .").await;
    assert!(desk.shell(commit).await.text.contains("identity unknown"), "nobody is known yet");
    put(".config/git/config", "[user]\n\tname = Xdg\n\temail = xdg@example.com\n");
    assert_eq!(works(&desk, commit).await, "Xdg xdg@example.com Xdg\n");
    put(
        ".gitconfig",
        "[user]\n\tname = Ann \\\"A\\\" Bee\n[include]\n\tpath = ~/.id\n[commit]\n\tgpgSign = true\n\
         [credential]\n\thelper = secret-helper\n[http]\n\textraHeader = secret-header\n",
    );
    put(".id", "[user]\n\temail = ann@example.com\n\tsigningKey = secret-key\n");
    let ann = "Ann \"A\" Bee ann@example.com Ann \"A\" Bee\n";
    assert_eq!(works(&desk, commit).await, ann);
    let seen = works(&desk, "git config --list; cat ~/.gitconfig; ls -A ~").await;
    assert!(!seen.contains("secret") && !seen.contains(".id"), "{seen}");
    assert!(desk.shell("cat ~/.id").await.failed);
    // A repository's own identity counts more, and a new one has the person's.
    let own = desk.get(".git/config") + "[user]\n\tname = Own\n";
    desk.put(".git/config", own);
    assert_eq!(works(&desk, commit).await, "Own ann@example.com Own\n");
    let new = format!("git init -q new && cd new && {commit}");
    assert!(works(&desk, &new).await.contains(ann));
    // Nothing that a command writes there reaches the person.
    works(&desk, "git config --global core.pager evil").await;
    let kept = std::fs::read_to_string(home.join(".gitconfig")).unwrap();
    assert!(!kept.contains("evil"), "{kept}");
}
