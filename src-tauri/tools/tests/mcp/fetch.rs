//! What fetching a package may not do: real npm and real uv, and a registry on loopback whose
//! packages try it.

use crate::desk::{Desk, Kept, desk_for, program};
use crate::real::installed;
use serde_json::json;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use support::{REGISTRY_TOKEN, Registry};
use tools::mcp::{InstallGrant, PackageSettings, Server};

/// A person whose settings name the registry, and who listed it as one of their own network.
fn desk(registry: &Registry) -> Desk {
    let url = format!("http://{}/", registry.host());
    let set = [
        ("PATH", std::env::var("PATH").unwrap()),
        ("npm_config_registry", url.clone()),
        ("npm_config_globalconfig", "/nowhere/npmrc".to_owned()),
        ("UV_DEFAULT_INDEX", format!("{url}simple")),
    ];
    let variables = set.map(|(name, value)| (name.to_owned(), value)).into();
    let mut desk = desk_with(variables);
    desk.grant.private_hosts = [registry.host(), registry.far(), registry.elsewhere()].into();
    desk
}

fn desk_with(variables: BTreeMap<String, String>) -> Desk {
    // No folder of settings is there.
    let settings = PackageSettings { home: "/nowhere".into(), variables };
    desk_for(Arc::new(Kept::default()), settings)
}

fn npx(package: &str) -> Server {
    program("tiny", "npx", &["-y", package, "one", "two"], &[])
}

/// uv is where `cargo xtask servers` put it.
fn uvx(package: &str) -> Server {
    let (_, uvx) = installed("uv/bin/uvx");
    program("tiny", uvx.to_str().unwrap(), &[package, "one", "two"], &[])
}

/// Why an install did not work.
async fn refused(desk: &Desk, server: &Server) -> String {
    desk.install(server).await.unwrap_err().to_string()
}

/// Whether anything below a folder is called so.
fn holds(folder: &Path, name: &str) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        entry.file_name() == name || (is_folder && holds(&entry.path(), name))
    })
}

/// Nothing of a package ran, and nobody went where nobody was asked about.
fn nothing_ran(desk: &Desk, registry: &Registry) {
    assert!(!holds(&desk.packages(), "ran"), "a script ran");
    assert!(!registry.folder().join("ran").exists(), "something ran outside");
    assert_eq!(registry.log_elsewhere(), "");
}

#[tokio::test]
async fn a_package_of_npm_is_fetched_with_what_it_needs_and_its_lockfile_is_kept() {
    let registry = Registry::start();
    let desk = desk(&registry);
    let server = npx("tiny");
    assert_eq!(desk.servers.install_hosts(&server), [registry.host()]);
    let found = desk.install(&server).await.unwrap().unwrap();
    assert_eq!((found.package.as_str(), found.version.as_str()), ("tiny", "1.0.0"));
    assert_eq!(found.packages, 2);
    let lockfile = std::fs::read(&found.lockfile).unwrap();
    assert_eq!(found.hash, blake3::hash(&lockfile).to_hex().to_string());
    assert_eq!(desk.servers.installed(&server).as_ref(), Some(&found));
    assert!(desk.servers.said("tiny").contains(&found.hash), "{}", desk.servers.said("tiny"));
    assert_eq!(desk.says(&server, "args", json!({})).await, "one two");
    for gone in ["npmrc", "cache"] {
        assert!(!found.lockfile.with_file_name(gone).exists(), "{gone}");
    }
    nothing_ran(&desk, &registry);
}

#[tokio::test]
async fn a_package_of_python_is_fetched_and_nothing_of_it_runs_meanwhile() {
    let registry = Registry::start();
    let desk = desk(&registry);
    let server = uvx("tiny");
    let found = desk.install(&server).await.unwrap().unwrap();
    assert_eq!(
        (found.package.as_str(), found.version.as_str(), found.packages),
        ("tiny", "1.0", 2)
    );
    let lockfile = std::fs::read_to_string(&found.lockfile).unwrap();
    assert!(lockfile.contains("leaf==1.0") && lockfile.contains("--hash=sha256:"), "{lockfile}");
    let folder = found.lockfile.parent().unwrap();
    assert!(holds(folder, "evil.pth"), "the trap is there");
    nothing_ran(&desk, &registry);
    // It runs with the server, in the sandbox.
    assert_eq!(desk.says(&server, "args", json!({})).await, "one two");
    nothing_ran(&desk, &registry);
}

#[tokio::test]
async fn what_comes_from_git_is_refused_before_anything_is_unpacked() {
    let registry = Registry::start();
    let desk = desk(&registry);
    repository(&registry);
    for package in ["with-git", "with-ssh", "with-short", "with-deep", "with-optional"] {
        let why = refused(&desk, &npx(package)).await;
        assert!(!holds(&desk.packages(), "node_modules"), "{package}: {why}");
        assert!(desk.servers.installed(&npx(package)).is_none(), "{package}");
    }
    let why = refused(&desk, &uvx("withgit")).await;
    assert!(!holds(&desk.packages(), "leaf.py"), "{why}");
    let direct = format!("git+http://{}/git/g.git", registry.host());
    for server in [npx(&direct), npx("some/one"), uvx(&direct)] {
        let why = refused(&desk, &server).await;
        assert!(why.contains("is not a package of a registry"), "{why}");
    }
    assert!(!registry.log().contains("/git/"), "{}", registry.log());
    nothing_ran(&desk, &registry);
}

/// A repository with everything in it that npm obeys when it prepares one.
fn repository(registry: &Registry) {
    let work = registry.folder().join("work");
    let bare = registry.folder().join("git/g.git");
    std::fs::create_dir_all(&work).unwrap();
    let mark = registry.folder().join("ran");
    let scripts = json!({ "prepare": format!("touch {}", mark.display()) });
    let says = json!({ "name": "g", "version": "1.0.0", "scripts": scripts,
        "devDependencies": { "leaf": "1.0.0" } });
    std::fs::write(work.join("package.json"), says.to_string()).unwrap();
    std::fs::write(work.join(".npmrc"), "ignore-scripts=false\nallow-git=all\n").unwrap();
    let git = |folder: &Path, words: &[&str]| {
        let author = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let mut git = Command::new("git");
        let done = git.args(author).args(words).current_dir(folder).output().unwrap();
        assert!(done.status.success(), "{words:?}: {done:?}");
    };
    git(&work, &["init", "-q"]);
    git(&work, &["add", "-A"]);
    git(&work, &["commit", "-qm", "x"]);
    git(&work, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    git(&bare, &["update-server-info"]);
}

#[tokio::test]
async fn the_settings_in_a_package_are_not_obeyed() {
    let registry = Registry::start();
    let desk = desk(&registry);
    let found = desk.install(&npx("with-settings")).await.unwrap().unwrap();
    assert!(found.lockfile.with_file_name("node_modules/with-settings/.npmrc").exists());
    nothing_ran(&desk, &registry);
    // Nor is what an earlier install left behind.
    let rc = format!("registry=http://{}/\nignore-scripts=false\n", registry.elsewhere());
    std::fs::write(found.lockfile.with_file_name(".npmrc"), rc).unwrap();
    desk.install(&npx("with-settings")).await.unwrap();
    nothing_ran(&desk, &registry);
}

#[tokio::test]
async fn what_has_to_be_built_is_refused_and_its_back_end_never_runs() {
    let registry = Registry::start();
    let desk = desk(&registry);
    for package in ["source", "withsource"] {
        let why = refused(&desk, &uvx(package)).await;
        assert!(why.contains("uv failed") && why.contains("source"), "{why}");
        nothing_ran(&desk, &registry);
    }
    assert!(!registry.log().contains("source-1.0.tar.gz"), "{}", registry.log());
}

#[tokio::test]
async fn a_package_from_an_address_is_refused() {
    let registry = Registry::start();
    let desk = desk(&registry);
    // Even at a host that was allowed.
    let why = refused(&desk, &npx("with-own-address")).await;
    assert!(why.contains("not from a registry"), "{why}");
    let why = refused(&desk, &uvx("withaddress")).await;
    assert!(why.contains("leaf"), "{why}");
    let why = refused(&desk, &npx("with-address")).await;
    assert!(why.contains(&registry.elsewhere()), "{why}");
    assert!(!holds(&desk.packages(), "leaf.py") && !holds(&desk.packages(), "node_modules"));
    nothing_ran(&desk, &registry);
}

#[tokio::test]
async fn a_host_that_the_registry_leads_to_is_named_and_reached_only_when_it_was_allowed() {
    let registry = Registry::start();
    let mut desk = desk(&registry);
    for server in [npx("far"), uvx("far")] {
        desk.grant.hosts.clear();
        let error = desk.install(&server).await.unwrap_err();
        assert_eq!(error.code(), "MCP_NEEDS_HOST", "{error}");
        assert!(error.to_string().contains(&registry.far()), "{error}");
        let asked_there = format!(" {} ", registry.far());
        let before = registry.log().matches(&asked_there).count();
        desk.grant.hosts = vec![registry.far()];
        desk.install(&server).await.unwrap();
        assert!(registry.log().matches(&asked_there).count() > before);
        assert_eq!(desk.says(&server, "args", json!({})).await, "one two");
        desk.servers.keep_only(&[]).await;
    }
}

#[tokio::test]
async fn a_registry_in_the_own_network_has_to_be_listed() {
    let registry = Registry::start();
    let mut desk = desk(&registry);
    desk.grant.private_hosts = [].into();
    for server in [npx("tiny"), uvx("tiny")] {
        let why = refused(&desk, &server).await;
        assert!(why.contains(&registry.host()) && why.contains("network.private_hosts"), "{why}");
    }
    assert_eq!(registry.log(), "");
}

#[tokio::test]
async fn what_logs_in_goes_to_its_registry_alone_and_is_kept_nowhere() {
    let registry = Registry::start();
    let (host, elsewhere) = (registry.host(), registry.elsewhere());
    let home = tempfile::tempdir().unwrap();
    let rc = format!(
        "registry=http://{host}/\n//{host}/:_authToken=${{TOKEN}}\n\
         //{elsewhere}/:_authToken=of-another\n"
    );
    std::fs::write(home.path().join(".npmrc"), rc).unwrap();
    let variables = [
        ("PATH", std::env::var("PATH").unwrap()),
        ("TOKEN", REGISTRY_TOKEN.to_owned()),
        ("npm_config_globalconfig", "/nowhere/npmrc".to_owned()),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value)).into();
    let settings = PackageSettings { home: home.path().to_owned(), variables };
    let mut desk = desk_for(Arc::new(Kept::default()), settings);
    desk.grant.private_hosts = [host].into();
    let found = desk.install(&npx("@corp/tiny")).await.unwrap().unwrap();
    assert_eq!(found.package, "@corp/tiny");
    assert!(registry.log().contains(&format!("/@corp%2ftiny Bearer {REGISTRY_TOKEN}")));
    let folder = found.lockfile.parent().unwrap();
    let mut grep = Command::new("grep");
    grep.args(["-r", "-e", REGISTRY_TOKEN, "-e", "of-another"]).arg(folder);
    let held = grep.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&held.stdout), "");
}

/// An npm that tries what it must not: it is found beside the `npx` that the person names.
#[tokio::test]
async fn the_sandbox_of_an_install_shows_no_secret_and_leads_nowhere_else() {
    let registry = Registry::start();
    let desk = desk(&registry);
    let outside = tempfile::tempdir().unwrap();
    let token = desk.packages().with_file_name("token");
    std::fs::write(&token, "the-token-of-the-app").unwrap();
    let own = std::process::id();
    let script = format!(
        "#!/bin/bash\nexec > found 2>&1\n\
         env; cat /proc/*/environ; cat /proc/{own}/environ && echo SAW-THE-APP\n\
         cat {token}; ls -A {data} {home}/.ssh {home}/.npmrc {home}/.config && echo SAW-HOME\n\
         touch {outside}/x && echo WROTE-OUTSIDE\n\
         git --version && echo HAS-GIT; ssh -V && echo HAS-SSH\n\
         python3 -c 'import urllib.request as r; r.urlopen(\"http://{elsewhere}/\")'\n\
         python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))' && echo WENT-ROUND\n\
         echo TRIED-ALL; exit 1\n",
        token = token.display(),
        data = token.parent().unwrap().display(),
        home = std::env::home_dir().unwrap().display(),
        outside = outside.path().display(),
        elsewhere = registry.elsewhere(),
        port = registry.host().split_once(':').unwrap().1,
    );
    let bin = tempfile::tempdir().unwrap();
    std::fs::write(bin.path().join("npm"), script).unwrap();
    std::fs::set_permissions(bin.path().join("npm"), PermissionsExt::from_mode(0o755)).unwrap();
    let npx = bin.path().join("npx");
    let server = program("tiny", npx.to_str().unwrap(), &["tiny"], &[]);
    let error = desk.install(&server).await.unwrap_err();
    assert_eq!(error.code(), "MCP_NEEDS_HOST", "{error}");
    assert!(error.to_string().contains(&registry.elsewhere()), "{error}");
    let found = found(&desk.packages());
    for bad in [
        "the-token-of-the-app",
        "CARGO_MANIFEST_DIR",
        "SAW-",
        "WROTE-OUTSIDE",
        "HAS-",
        "WENT-ROUND",
    ] {
        assert!(!found.contains(bad), "{bad}: {found}");
    }
    assert!(found.contains("npm_config") || found.contains("HOME="), "it ran: {found}");
    assert!(std::fs::read_dir(outside.path()).unwrap().next().is_none());
    assert_eq!(registry.log_elsewhere(), "");
}

/// An npm that leaves links for whoever looks into the folder afterwards, outside the sandbox.
#[tokio::test]
async fn links_that_an_install_leaves_are_neither_read_nor_written_through() {
    let registry = Registry::start();
    let desk = desk(&registry);
    let (outside, bin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let profile = outside.path().join("profile");
    std::fs::write(&profile, "mine").unwrap();
    let npm = bin.path().join("npm");
    let put = |lockfile: &str| {
        let link = format!("ln -sf {} installed", profile.display());
        std::fs::write(&npm, format!("#!/bin/bash\n{link}\n{lockfile}\n")).unwrap();
        std::fs::set_permissions(&npm, PermissionsExt::from_mode(0o755)).unwrap();
    };
    let npx = bin.path().join("npx");
    let server = program("tiny", npx.to_str().unwrap(), &["tiny"], &[]);
    for bad in ["ln -sf /dev/zero", "rm -f package-lock.json; mkfifo", "mkdir"] {
        put(&format!("{bad} package-lock.json"));
        let error = desk.install(&server).await.unwrap_err();
        assert!(error.to_string().contains("no lockfile"), "{bad}: {error}");
    }
    let lockfile = json!({ "packages": {
        "": { "dependencies": { "tiny": "1" } },
        "node_modules/tiny": {
            "version": "1.0.0",
            "resolved": format!("http://{}/tiny.tgz", registry.host()),
        },
    } });
    put(&format!("echo '{lockfile}' > package-lock.json"));
    let found = desk.install(&server).await.unwrap().unwrap();
    assert_eq!(std::fs::read_to_string(&profile).unwrap(), "mine");
    let stamp = found.lockfile.with_file_name("installed");
    assert!(stamp.symlink_metadata().unwrap().is_file());
}

/// What the program wrote to its folder.
fn found(packages: &Path) -> String {
    let folders = std::fs::read_dir(packages).unwrap().flatten();
    let files: Vec<PathBuf> = folders.map(|folder| folder.path().join("found")).collect();
    String::from_utf8_lossy(&std::fs::read(&files[0]).unwrap()).into_owned()
}

#[tokio::test]
async fn a_package_manager_that_is_missing_is_told_in_words() {
    let registry = Registry::start();
    let desk = desk(&registry);
    let nowhere = tempfile::tempdir().unwrap();
    let npx = nowhere.path().join("npx");
    let server = program("tiny", npx.to_str().unwrap(), &["tiny"], &[]);
    let why = refused(&desk, &server).await;
    assert!(why.contains("npm is not at"), "{why}");
    let grant = InstallGrant::default();
    assert!(desk.servers.install(&program("x", "node", &[], &[]), &grant).await.unwrap().is_none());
}
