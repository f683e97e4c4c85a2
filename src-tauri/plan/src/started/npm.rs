//! Commands of npm by their other names. It takes a command by its beginning, and has more names
//! for many, some of them misspelt.

use super::{named, without_options};

/// Commands, each with its other names.
#[rustfmt::skip]
const COMMANDS: &[&[&str]] = &[
    &["access"], &["adduser", "add-user"], &["audit"], &["bugs", "issues"], &["cache"],
    &["ci", "clean-install", "ic", "install-clean", "isntall-clean"], &["completion"],
    &["config", "c"], &["dedupe", "ddp"], &["deprecate"], &["diff"], &["dist-tag", "dist-tags"],
    &["docs", "home"], &["doctor"], &["edit"], &["exec", "x"], &["explain", "why"], &["explore"],
    &["find-dupes"], &["fund"], &["get"], &["help", "hlep"], &["help-search"],
    &["init", "create", "innit"],
    &["install", "add", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal",
        "isntall"],
    &["install-ci-test", "cit", "clean-install-test", "sit"], &["install-test", "it"],
    &["link", "ln"], &["ll", "la"], &["login"], &["logout"], &["ls", "list"], &["org", "ogr"],
    &["outdated"], &["owner", "author"], &["pack"], &["ping"], &["pkg"], &["prefix"], &["profile"],
    &["prune"], &["publish"], &["query"], &["rebuild", "rb"], &["repo"], &["restart"], &["root"],
    &["run-script", "rum", "run", "urn"], &["sbom"], &["search", "find", "s", "se"], &["set"],
    &["shrinkwrap"], &["star"], &["stars"], &["start"], &["stop"], &["team"],
    &["test", "t", "tst"], &["token"], &["trust"], &["undeprecate"],
    &["uninstall", "r", "remove", "rm", "un", "unlink"], &["unpublish"], &["unstar"],
    &["update", "udpate", "up", "upgrade"], &["version", "verison"],
    &["view", "info", "show", "v"], &["whoami"],
];

/// The same command under each of its names. A beginning of several may be any of them.
pub(super) fn by_all_names(rest: &[String]) -> Vec<Vec<String>> {
    let Some((command, after)) = without_options(rest, &[], false).split_first() else {
        return Vec::new();
    };
    let has = |fits: &dyn Fn(&str) -> bool| {
        let known = COMMANDS.iter().filter(|names| names.iter().any(|name| fits(name)));
        known.copied().collect::<Vec<_>>()
    };
    let mut known = has(&|name| name == command);
    if known.is_empty() {
        known = has(&|name| name.starts_with(command.as_str()));
    }
    let names = known.into_iter().flatten();
    names.map(|name| named("npm", &named(name, after))).collect()
}
