//! What a person listed to be read, found without a link that an agent may have made.
//!
//! A link that lies where no agent works is the person's own, and is followed. One in a folder that
//! agents work in, or ever did, may lead to what they must not read: nothing is shown for it. And
//! what lies in such a folder can be swapped for a link at any moment, so nothing is run when
//! something else was mounted than what was found.

use super::Job;
use super::bubblewrap::Mounts;
use crate::links;
use std::path::{Path, PathBuf};

/// Shows what was listed. What is `hidden` stays so, and what the workspace will show itself is
/// left to that.
pub(super) fn mount(mounts: &mut Mounts, job: &Job<'_>, hidden: &[PathBuf]) {
    for listed in job.extra_read {
        // It may be on a disk that is not there today.
        let Some(real) = real_path(listed, |folder| is_agents(job, folder)) else { continue };
        match is_agents(job, &real) {
            // Shown where it really is, so that hiding a part of it works.
            false => mounts.show(&real),
            true if is_covered(job, &real) => {}
            true if hidden.iter().any(|folder| real.starts_with(folder)) => continue,
            true => mounts.share(&real, job.workspace),
        }
        if real != *listed {
            mounts.push(&[&"--symlink", &real, &listed]);
        }
    }
}

/// Toolchains are found once. One that lies where agents work must be what it is now when a command
/// starts, and is empty when a link of theirs leads to it.
pub(super) fn hold_toolchains(mounts: &mut Mounts, job: &Job<'_>) {
    for shown in mounts.visible.clone().iter().filter(|shown| !is_covered(job, shown)) {
        match real_path(shown, |folder| is_agents(job, folder)) {
            Some(real) if is_agents(job, &real) => mounts.mean(shown, &real, job.workspace),
            None if shown.exists() => mounts.hide(shown),
            Some(_) | None => {}
        }
    }
}

/// Whether what lies in a folder may be of an agent's making.
fn is_agents(job: &Job<'_>, folder: &Path) -> bool {
    is_covered(job, folder) || job.workspaces.hold(folder)
}

/// Whether the workspace is mounted over it.
fn is_covered(job: &Job<'_>, path: &Path) -> bool {
    path.starts_with(job.workspace) || job.copy_of.is_some_and(|of| path.starts_with(of))
}

/// Where a path leads, if no link on the way lies in a folder of which the question is true.
fn real_path(path: &Path, is_agents: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let found = links::follow(path, |link| link.parent().is_some_and(|folder| !is_agents(folder)));
    found.filter(|found| found.symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::real_path;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    #[test]
    fn links_of_the_person_are_followed_and_those_of_agents_are_not() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let at = |name: &str| top.join(name);
        std::fs::create_dir_all(at("room/real/deep")).unwrap();
        std::fs::create_dir_all(at("home/keys")).unwrap();
        let link = |to: &str, name: &str| symlink(to, at(name)).unwrap();
        link("../home/keys", "room/evil");
        link("deep", "room/real/near");
        link("home", "mine");
        link(at("home/keys").to_str().unwrap(), "whole");
        link("room/real", "to-room");
        link("room/evil", "to-evil");
        link("around", "around");
        let room = at("room");
        let found = |name: &str| real_path(&at(name), |folder: &Path| folder.starts_with(&room));
        for (name, leads) in [
            ("home/keys", Some("home/keys")),
            ("mine/keys", Some("home/keys")),
            ("mine/../room", Some("room")),
            ("whole", Some("home/keys")),
            ("to-room/deep", Some("room/real/deep")),
            ("room/real/../real/deep/", Some("room/real/deep")),
            ("room/evil", None),
            ("room/evil/x", None),
            ("room/evil/../x", None),
            ("room/real/near", None),
            ("to-room/near", None),
            ("to-evil", None),
            ("around", None),
            ("none", None),
        ] {
            assert_eq!(found(name), leads.map(at), "{name}");
        }
    }
}
