//! Ordinary work in an ordinary project: toolchains are found, home is hidden.

use crate::support::{Desk, desk};
use std::path::{Path, PathBuf};
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
