//! Who the person is to git: the name and the address that commits are made with.
//!
//! They are read as git reads them, from the person's own settings and from files that a
//! repository's settings include; what a repository itself says is seen in the sandbox anyway.
//! Here conditions of an `includeIf` count, because people keep one identity for each employer.

use super::settings::{self, At};
use super::{configs_of, repository_of};
use crate::files::known;
use globset::GlobBuilder;
use std::path::{Path, PathBuf};

/// A name and an address, as far as they are set.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    name: Option<String>,
    email: Option<String>,
}

impl Identity {
    /// The person's in a workspace.
    pub(crate) fn of(workspace: &Path) -> Self {
        Self::read(&settings::of_the_person(), repository_of(&workspace.join(".git")))
    }

    fn read(own: &[PathBuf], folder: Option<PathBuf>) -> Self {
        let repository = folder.as_deref().map(configs_of).unwrap_or_default();
        let holds = |at: At<'_>, condition: &str| holds(at, condition, folder.as_deref());
        let mut found = Self::default();
        for file in own {
            settings::read(file, &holds, &mut |_, setting| found.take(setting));
        }
        for file in &repository {
            settings::read(file, &holds, &mut |at, setting| {
                if at.depth > 0 {
                    found.take(setting);
                }
            });
        }
        found
    }

    fn take(&mut self, setting: &settings::Setting) {
        if setting.section != "user" || !setting.name.is_empty() {
            return;
        }
        match setting.key.as_str() {
            "name" => self.name = Some(setting.value.clone()),
            "email" => self.email = Some(setting.value.clone()),
            _ => {}
        }
    }

    /// Settings that say this and nothing else; `None` where nothing is known.
    pub(crate) fn as_settings(&self) -> Option<String> {
        let line = |key: &str, value: &Option<String>| {
            let value = value.as_ref()?;
            let plain: String = value.chars().filter(|c| !c.is_control()).collect();
            let quoted = plain.replace('\\', "\\\\").replace('"', "\\\"");
            Some(format!("\t{key} = \"{quoted}\"\n"))
        };
        let lines = [line("name", &self.name), line("email", &self.email)];
        let lines: String = lines.into_iter().flatten().collect();
        (!lines.is_empty()).then(|| format!("[user]\n{lines}"))
    }
}

/// Whether a condition holds in the repository with this folder.
fn holds(at: At<'_>, condition: &str, folder: Option<&Path>) -> bool {
    let (Some((kind, pattern)), Some(folder)) = (condition.split_once(':'), folder) else {
        return false;
    };
    match kind {
        "gitdir" | "gitdir/i" => {
            let pattern = of_a_folder(at, pattern);
            let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            let any_case = kind == "gitdir/i";
            [folder, &real].into_iter().any(|folder| fits(&pattern, any_case, folder))
        }
        "onbranch" => {
            let head = known::text(&folder.join("HEAD")).unwrap_or_default();
            let branch = head.trim_end().strip_prefix("ref: refs/heads/");
            branch.is_some_and(|branch| fits(&whole(pattern), false, Path::new(branch)))
        }
        "hasconfig" => {
            let Some(pattern) = pattern.strip_prefix("remote.*.url:") else { return false };
            let mut has = false;
            for file in configs_of(folder) {
                settings::read(&file, &|_, _| false, &mut |_, setting| {
                    let is_one = setting.section == "remote" && setting.key == "url";
                    has |= is_one && fits(pattern, false, Path::new(&setting.value));
                });
            }
            has
        }
        _ => false,
    }
}

/// A pattern for git's folder, as git completes it.
fn of_a_folder(at: At<'_>, pattern: &str) -> String {
    let pattern = whole(pattern);
    let from = |base: Option<PathBuf>, rest: &str| {
        let base = base.and_then(|base| base.canonicalize().ok()).unwrap_or_default();
        format!("{}/{rest}", globset::escape(&base.to_string_lossy()))
    };
    match (pattern.strip_prefix("~/"), pattern.strip_prefix("./")) {
        (Some(rest), _) => from(std::env::home_dir(), rest),
        (_, Some(rest)) => from(at.file.parent().map(Path::to_owned), rest),
        (None, None) if pattern.starts_with('/') => pattern,
        (None, None) => format!("**/{pattern}"),
    }
}

/// A pattern that ends with a slash means all below.
fn whole(pattern: &str) -> String {
    if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() }
}

fn fits(pattern: &str, any_case: bool, path: &Path) -> bool {
    let glob = GlobBuilder::new(pattern).literal_separator(true).case_insensitive(any_case).build();
    glob.is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same answer as git's own, however the settings are spread.
    #[test]
    fn the_identity_is_the_one_that_git_finds() {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        let at = home.path().display();
        put("id", "[user]\nname = \"Inc \\\"L\\\" uded\" ; why\n");
        put("work", "[user]\nemail = work@example.com\n");
        put("wrong", "[user]\nemail = wrong@example.com\nname = Wrong\n");
        let first = put("first", "[USER]\nName = First\nEmail = first@example.com\n");
        let second = put(
            "second",
            &format!(
                "[include]\npath = id\n[includeIf \"gitdir:{at}/job/\"]\npath = work\n\
                 [includeIf \"gitdir:{at}/other/\"]\npath = wrong\n\
                 [includeIf \"onbranch:side/\"]\npath = wrong\n\
                 [includeIf \"hasconfig:remote.*.url:https://elsewhere/**\"]\npath = wrong\n\
                 [user \"x\"]\nname = Wrong\n"
            ),
        );
        put("job/a/.git/HEAD", "ref: refs/heads/main\n");
        put("job/a/.git/config", "[remote \"origin\"]\nurl = https://example.com/a\n");
        let files = [first, second];
        let there = Identity::read(&files, Some(home.path().join("job/a/.git")));
        let expected = "[user]\n\tname = \"Inc \\\"L\\\" uded\"\n\temail = \"work@example.com\"\n";
        assert_eq!(there.as_settings().as_deref(), Some(expected));
        let elsewhere = Identity::read(&files, None);
        assert_eq!(elsewhere.email.as_deref(), Some("first@example.com"));
        // A repository's own include counts most, its own words are left to git.
        put("job/a/.git/config", "[user]\nname = Own\n[include]\npath = ../../../wrong\n");
        let there = Identity::read(&files, Some(home.path().join("job/a/.git")));
        assert_eq!(there.name.as_deref(), Some("Wrong"));
        assert_eq!(Identity::read(&[], None).as_settings(), None);
    }
}
