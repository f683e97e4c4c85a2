//! A server written as `npx package`: fetched when allowed, then run from here.

use crate::desk::{desk, program, running};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A server in JavaScript that knows one tool.
const SERVER: &str = r#"#!/usr/bin/env node
const lines = require("readline").createInterface({ input: process.stdin });
const answers = {
  initialize: (p) => ({ protocolVersion: p.protocolVersion, capabilities: { tools: {} },
                        serverInfo: { name: "tiny", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "args", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: process.argv.slice(2).join(" ") }] }),
};
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result: (answers[method] ?? (() => ({})))(params) }));
});
"#;

/// Packs the server as a registry would give it out; its script must never run.
fn pack(folder: &Path) -> PathBuf {
    let package = json!({
        "name": "@tests/tiny", "version": "1.0.0", "bin": { "tiny-server": "server.js" },
        "scripts": { "install": "touch /tmp/plancard-install-script-ran" },
    });
    std::fs::write(folder.join("package.json"), package.to_string()).unwrap();
    std::fs::write(folder.join("server.js"), SERVER).unwrap();
    let packed = Command::new("npm").args(["pack", "--silent"]).current_dir(folder).output();
    let packed = String::from_utf8(packed.unwrap().stdout).unwrap();
    folder.join(packed.trim())
}

#[tokio::test]
async fn it_runs_only_after_it_was_fetched_and_then_without_network() {
    let (source, desk) = (tempfile::tempdir().unwrap(), desk());
    let package = pack(source.path());
    let mark = format!("tiny-mark-{}", std::process::id());
    let args = ["-y", package.to_str().unwrap(), "one", &mark];
    let server = program("tiny", "npx", &args, &[]);
    let error = desk.list(&server).await.unwrap_err();
    assert_eq!(error.code(), "MCP_NOT_INSTALLED");
    assert!(desk.servers.health().is_empty(), "nothing was started");
    desk.install(&server).await.unwrap();
    assert!(!Path::new("/tmp/plancard-install-script-ran").exists());
    assert_eq!(desk.says(&server, "args", json!({})).await, format!("one {mark}"));
    assert!(!running(&mark).is_empty());
    desk.servers.keep_only(&[server]).await;
    assert!(!running(&mark).is_empty(), "it is still the same server");
}

#[tokio::test]
async fn what_can_not_be_fetched_is_told_in_words() {
    let desk = desk();
    let server = program("tiny", "npx", &["-y", "/nowhere/tiny.tgz"], &[]);
    let error = desk.install(&server).await.unwrap_err();
    assert!(error.to_string().contains("npm failed"), "{error}");
    assert_eq!(desk.list(&server).await.unwrap_err().code(), "MCP_NOT_INSTALLED");
}
