//! The paths in a workspace from which the person's git takes what it runs: its own folder, and
//! hooks, programs and settings that its settings name.
//!
//! Each path may be a link, and so may any folder on the way. So every way is walked here, step by
//! step, and everything on it is remembered. What the settings are, git says (see `git_settings`).

use crate::files::known;
use crate::git_settings::{GitSettings, expanded};
use crate::links;
use std::collections::BTreeSet;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a path is, or has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Folder,
    File,
    /// Names the folder that holds the other parts.
    Commondir,
}

/// The parts of the workspace's own `.git` that are read-only.
pub(crate) const PARTS: [(&str, Shape); 8] = [
    ("hooks", Shape::Folder),
    ("config", Shape::File),
    ("config.worktree", Shape::File),
    ("info", Shape::Folder),
    ("modules", Shape::Folder),
    ("branches", Shape::Folder),
    ("remotes", Shape::Folder),
    ("commondir", Shape::Commondir),
];
/// What a `commondir` says that means nothing.
pub(crate) const HERE: &str = ".\n";
/// Ends of names that belong to programs in a language.
const SCRIPTS: [&str; 10] = ["sh", "bash", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php"];

/// What the workspace has of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Own {
    /// No `.git`.
    #[default]
    None,
    /// A folder in which the parts are read-only and the rest is not.
    Parts,
    /// Read-only as a whole.
    Whole,
}

/// All that lies in the workspace; every path is absolute and real.
#[derive(Debug, Default)]
pub(crate) struct GitExecPaths {
    workspace: PathBuf,
    pub(crate) settings: Arc<GitSettings>,
    pub(crate) own: Own,
    /// What is read-only.
    pub(crate) places: BTreeSet<PathBuf>,
    /// Folders that stay where they are, although they can be written to.
    pub(crate) held: BTreeSet<PathBuf>,
    /// Links on the way there.
    pub(crate) links: BTreeSet<PathBuf>,
    /// What is missing on the way to hooks, programs and settings, from the top.
    pub(crate) missing: Vec<(PathBuf, Shape)>,
}

impl GitExecPaths {
    /// Those of a workspace, given by its real path.
    pub(crate) fn of(workspace: &Path) -> Self {
        let settings = GitSettings::of(workspace);
        let mut paths = Self {
            workspace: workspace.to_owned(),
            settings: Arc::clone(&settings),
            ..Self::default()
        };
        let own = workspace.join(".git");
        if !matches!(Kind::of(&own), Kind::Missing) {
            paths.own = if paths.has_parts(&own) { Own::Parts } else { Own::Whole };
            paths.own_folder(&own);
        }
        for setting in settings.both() {
            let is_hooks = setting.section == "core" && setting.key == "hookspath";
            let is_template = setting.section == "init" && setting.key == "templatedir";
            if let Some(file) = setting.included() {
                paths.name(&file, Shape::File);
            } else if is_hooks || is_template {
                paths.name_from_top(&setting.value, Shape::Folder);
            } else if setting.runs() {
                paths.programs(&setting.value);
            }
        }
        paths
    }

    /// Whether it is enough to hold the parts of a `.git`.
    fn has_parts(&self, own: &Path) -> bool {
        let GitSettings { known, git_dir, common_dir, .. } = &*self.settings;
        let is_own = [git_dir, common_dir].iter().all(|folder| folder.as_deref() == Some(own));
        // Git does not look at these where there is a `commondir`, and takes references of another
        // kind to be locked twice.
        let is_plain = !matches!(self.settings.value("core", "bare"), Some(bare) if bare != "false")
            && self.settings.value("core", "worktree").is_none()
            && self.settings.value("extensions", "refstorage").is_none();
        let is_linked = |name: &str| matches!(Kind::of(&own.join(name)), Kind::Link(_));
        let leads_here = match Kind::of(&own.join("commondir")) {
            Kind::Missing => true,
            Kind::Folder | Kind::File | Kind::Link(_) | Kind::Unreadable => {
                known::own_text(&own.join("commondir")).is_some_and(|text| text == HERE)
            }
        };
        let any_link = PARTS.iter().any(|(name, _)| is_linked(name)) || is_linked("objects");
        *known && is_own && is_plain && leads_here && !any_link
    }

    fn own_folder(&mut self, own: &Path) {
        if self.own == Own::Parts {
            self.held.insert(own.join("objects"));
            for (name, shape) in PARTS {
                let part = own.join(name);
                if Kind::of(&part) == Kind::Missing {
                    self.missing.push((part.clone(), shape));
                }
                self.places.insert(part);
            }
            self.linked_trees(own);
            return;
        }
        // Also where a link leads, and what settings are about that git did not list.
        let settings = Arc::clone(&self.settings);
        let folders = [Some(own), settings.git_dir.as_deref(), settings.common_dir.as_deref()];
        for folder in folders.into_iter().flatten() {
            if let Some(found) = self.follow(folder) {
                self.places.insert(found);
            }
        }
        let parts =
            PARTS.iter().filter(|(name, _)| matches!(Kind::of(&own.join(name)), Kind::Link(_)));
        for (name, shape) in parts {
            let shape = if *shape == Shape::Commondir { Shape::File } else { *shape };
            self.name(&own.join(name), shape);
        }
    }

    /// Git writes into the folders of linked work trees, but not into these files.
    fn linked_trees(&mut self, own: &Path) {
        let trees = own.join("worktrees");
        for tree in std::fs::read_dir(&trees).into_iter().flatten().flatten() {
            let tree = tree.path();
            for (name, shape) in
                [("commondir", None), ("gitdir", None), ("config.worktree", Some(Shape::File))]
            {
                let part = tree.join(name);
                if let (Kind::Missing, Some(shape)) = (Kind::of(&part), shape) {
                    self.missing.push((part.clone(), shape));
                }
                self.places.insert(part);
            }
        }
    }

    /// Words of a command, any of which may be a file.
    fn programs(&mut self, value: &str) {
        let words = value.split(|c: char| c.is_whitespace() || "!;&|<>()\"'`$".contains(c));
        for (number, word) in words.filter(|word| !word.is_empty()).enumerate() {
            // What has no such sign is the name of a program, or a word like any other.
            if !word.contains(['/', '.']) {
                continue;
            }
            let Some(path) = self.at_top(word) else { continue };
            let ending = Path::new(word).extension().and_then(|ending| ending.to_str());
            let is_program = (number == 0 && word.contains('/'))
                || word.starts_with("./")
                || ending.is_some_and(|ending| SCRIPTS.contains(&ending));
            // A folder that stands in for a program can't be run, and says nothing to a filter.
            if path.is_file() || (is_program && !word.contains(['*', '?', ':', '%', '='])) {
                self.name(&path, Shape::Folder);
            }
        }
    }

    fn name_from_top(&mut self, value: &str, shape: Shape) {
        if let Some(path) = self.at_top(value) {
            self.name(&path, shape);
        }
    }

    /// Commands run at the top; without a repository only a whole path leads anywhere.
    fn at_top(&self, value: &str) -> Option<PathBuf> {
        let path = expanded(value);
        match &self.settings.top {
            Some(top) => Some(top.join(path)),
            None => path.is_absolute().then_some(path),
        }
    }

    /// Takes in a path that settings name, where it lies in the workspace.
    fn name(&mut self, path: &Path, shape: Shape) {
        let Some(found) = self.follow(path) else { return };
        let mut levels: Vec<&Path> = found
            .ancestors()
            .skip(1)
            .take_while(|level| *level != self.workspace)
            .filter(|level| Kind::of(level) == Kind::Missing)
            .collect();
        levels.reverse();
        self.missing.extend(levels.into_iter().map(|level| (level.to_owned(), Shape::Folder)));
        if Kind::of(&found) == Kind::Missing {
            self.missing.push((found.clone(), shape));
        }
        let made_by_a_manager = shape == Shape::Folder && found.file_name() == Some("_".as_ref());
        match found.parent().filter(|parent| made_by_a_manager && *parent != self.workspace) {
            // It runs what lies beside it.
            Some(parent) => self.places.insert(parent.to_owned()),
            None => self.places.insert(found),
        };
    }

    /// Whether a path is one of these places or lies in one.
    pub(crate) fn hold(&self, path: &Path) -> bool {
        self.all().any(|place| path.starts_with(place))
    }

    /// Whether one of these places is lost when this path is moved or deleted.
    pub(crate) fn lie_in(&self, path: &Path) -> bool {
        self.all().any(|place| place.starts_with(path))
    }

    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        self.places.iter().chain(&self.links)
    }

    /// Goes to a path as the kernel would. `None` where that is not in the workspace.
    fn follow(&mut self, path: &Path) -> Option<PathBuf> {
        let Self { workspace, links, .. } = self;
        let is_inside = |path: &Path| path.starts_with(&*workspace) && path != workspace;
        let found = links::follow(path, |link| {
            if is_inside(link) {
                links.insert(link.to_owned());
            }
            true
        });
        found.filter(|found| is_inside(found))
    }
}

/// What is at a path, without following a link there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    File,
    Link(PathBuf),
    Missing,
    /// Nobody can tell, which is not the same as nothing.
    Unreadable,
}

impl Kind {
    pub(crate) fn of(path: &Path) -> Self {
        match path.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => {
                std::fs::read_link(path).map_or(Self::Unreadable, Self::Link)
            }
            Ok(meta) if meta.is_dir() => Self::Folder,
            Ok(_) => Self::File,
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Self::Missing,
            Err(_) => Self::Unreadable,
        }
    }
}
