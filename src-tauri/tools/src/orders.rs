//! Where git takes its orders from in a workspace: hooks and settings that it
//! would obey the next time the person uses it.
//!
//! Usually that is `.git` and a few parts of it. It may also be a link, or a
//! file that names a folder, and each part may be a link, too. So every way
//! is walked here, step by step, and everything on it is remembered. Settings
//! may name more: hooks elsewhere, programs, other settings (see `settings`).

mod identity;
mod settings;
mod submodules;

pub(crate) use identity::Identity;

use crate::files::known;
use settings::Named;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// What a part of git's folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Folder,
    File,
    /// Names the folder that holds the other parts.
    Commondir,
}

/// The parts of a repository's folder that git takes orders from.
pub(crate) const PARTS: &[(&str, Shape)] = &[
    ("hooks", Shape::Folder),
    ("config", Shape::File),
    ("config.worktree", Shape::File),
    ("info", Shape::Folder),
    ("modules", Shape::Folder),
    ("commondir", Shape::Commondir),
];
/// Those of the folder that a repository has for a linked work tree.
const OF_A_LINKED_TREE: &[(&str, Shape)] =
    &[("config.worktree", Shape::File), ("commondir", Shape::Commondir), ("gitdir", Shape::File)];
/// As many links as the kernel follows.
const MOST_LINKS: usize = 40;

/// All that lies in the workspace; every path is absolute and real.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    workspace: PathBuf,
    /// Git's folders.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// The parts of them, where they really are, and files that name them.
    pub(crate) parts: BTreeSet<PathBuf>,
    /// Parts that are missing right in one of git's folders.
    pub(crate) missing: Vec<(PathBuf, Shape)>,
    /// Folders on the way to all these.
    pub(crate) passed: BTreeSet<PathBuf>,
    /// Links on the way.
    pub(crate) links: BTreeSet<PathBuf>,
    /// Folders in which something on the way is missing, so that whoever may
    /// write there could make it.
    pub(crate) open: BTreeSet<PathBuf>,
    /// Every level of the ways to hooks and settings that settings name, from
    /// the top, missing or not.
    pub(crate) levels: Vec<(PathBuf, Shape)>,
}

impl Orders {
    /// Walks all ways in a workspace, given by its real path.
    pub(crate) fn of(workspace: &Path) -> Self {
        let mut orders = Self { workspace: workspace.to_owned(), ..Self::default() };
        let own = workspace.join(".git");
        let has_own = Kind::of(&own) != Kind::Missing;
        let (mut named, mut trees) = (Vec::new(), BTreeSet::new());
        let mut left = Vec::new();
        if has_own {
            left.extend(orders.repository(&own).map(|found| (workspace.to_owned(), found)));
        }
        // What a repository further up names may lie down here.
        for tree in workspace.ancestors().skip(1) {
            let git = tree.join(".git");
            if Kind::of(&git) != Kind::Missing {
                left.extend(repository_of(&git).map(|found| (tree.to_owned(), found)));
            }
        }
        // Where there is no repository, only a whole path leads into the workspace.
        let nearest = left.first().map_or(Path::new("/"), |(tree, _)| tree);
        let top = if has_own { workspace.to_owned() } else { nearest.to_owned() };
        while let Some((tree, folder)) = left.pop() {
            // A repository elsewhere is out of reach, and its settings hold here all the same.
            named.extend(settings::named(&configs_of(&folder), &tree));
            for inner in submodules::of(&tree, &folder) {
                if trees.insert(inner.clone())
                    && let Some(found) = orders.submodule(&inner)
                {
                    left.push((inner, found));
                }
            }
        }
        named.extend(settings::named(&settings::of_the_person(), &top));
        let shared =
            orders.folders.iter().flat_map(|folder| configs_of(folder)).collect::<Vec<_>>();
        named.extend(settings::named(&shared, workspace));
        for named in named {
            orders.named(named);
        }
        orders
    }

    /// Takes in what `.git` is or names, and gives back the repository's folder.
    fn repository(&mut self, git: &Path) -> Option<PathBuf> {
        let found = self.follow(git)?;
        match Kind::of(&found) {
            Kind::Folder => {
                self.folder(found.clone(), PARTS);
                Some(found)
            }
            Kind::File => {
                let named = named_folder(&found);
                self.parts.insert(found);
                let named = named?;
                if let Some(folder) = self.follow(&named)
                    && !self.parts.iter().any(|part| folder.starts_with(part))
                {
                    self.folder(folder, PARTS);
                }
                Some(named)
            }
            Kind::Link(_) | Kind::Missing => None,
        }
    }

    /// The same for a submodule. One that is not there yet has an empty folder, in which a command
    /// must not make a repository.
    fn submodule(&mut self, tree: &Path) -> Option<PathBuf> {
        let inside = tree.starts_with(&self.workspace) && tree != self.workspace;
        if !inside || !is_folder(tree) {
            return None;
        }
        let git = tree.join(".git");
        match Kind::of(&git) {
            Kind::Folder | Kind::File | Kind::Link(_) => self.repository(&git),
            Kind::Missing => {
                let is_empty = std::fs::read_dir(tree).is_ok_and(|mut all| all.next().is_none());
                if is_empty && let Some(tree) = self.follow(tree) {
                    self.open.insert(tree);
                }
                None
            }
        }
    }

    /// Takes in what settings name, where it lies in the workspace. Hooks and settings that are
    /// missing are held by something that stands in for them. A program that is missing is not:
    /// that can't be done without closing the folder it would be made in.
    fn named(&mut self, named: Named) {
        let (path, shape) = match &named {
            Named::Hooks(path) => (path, Shape::Folder),
            Named::Settings(path) => (path, Shape::File),
            Named::Program(path) if path.is_file() => {
                if let Some(found) = self.follow(path) {
                    self.parts.insert(found);
                }
                return;
            }
            Named::Program(_) => return,
        };
        let Some(found) = self.follow(path) else { return };
        let above = found.ancestors().skip(1).filter(|level| *level != self.workspace);
        let above = above.filter(|level| level.starts_with(&self.workspace));
        let mut levels: Vec<_> = above.map(|level| (level.to_owned(), Shape::Folder)).collect();
        levels.reverse();
        self.levels.extend(levels);
        self.levels.push((found.clone(), shape));
        let made_by_a_manager = shape == Shape::Folder && found.file_name() == Some("_".as_ref());
        match found.parent().filter(|parent| made_by_a_manager && *parent != self.workspace) {
            // It runs what lies beside it.
            Some(parent) => self.parts.insert(parent.to_owned()),
            None => self.parts.insert(found),
        };
    }

    /// Whether what stands in for missing parts is seen by whoever looks at the workspace: among its
    /// own files, or in repositories further down.
    pub(crate) fn stand_ins_show(&self) -> bool {
        let own = self.workspace.join(".git");
        !self.levels.is_empty() || self.folders.iter().any(|folder| *folder != own)
    }

    /// Whether a path is one of these places or lies in one.
    pub(crate) fn hold(&self, path: &Path) -> bool {
        self.places().any(|place| path.starts_with(place))
    }

    /// Whether one of these places is lost when this path is moved or deleted.
    pub(crate) fn lie_in(&self, path: &Path) -> bool {
        self.places().any(|place| place.starts_with(path))
    }

    fn places(&self) -> impl Iterator<Item = &PathBuf> {
        self.folders.iter().chain(&self.parts).chain(&self.links)
    }

    fn folder(&mut self, folder: PathBuf, parts: &[(&str, Shape)]) {
        if !self.folders.insert(folder.clone()) {
            return;
        }
        for (name, shape) in parts {
            let path = folder.join(name);
            if Kind::of(&path) == Kind::Missing {
                self.missing.push((path.clone(), *shape));
            }
            let Some(part) = self.follow(&path) else { continue };
            if let (Shape::Commondir, Some(text)) = (shape, known::text(&part))
                && let Some(common) = self.follow(&folder.join(text.trim_end_matches(['\r', '\n'])))
            {
                self.folder(common, PARTS);
            }
            self.parts.insert(part);
        }
        // No orders, but copies read them: nothing else may be put in their place.
        let objects = folder.join("objects");
        if is_folder(&objects) {
            self.follow(&objects);
        }
        for tree in std::fs::read_dir(folder.join("worktrees")).into_iter().flatten().flatten() {
            if let Some(tree) = self.follow(&tree.path()).filter(|tree| tree.is_dir()) {
                // The file `.git` of the tree, which leads here.
                let names = known::text(&tree.join("gitdir")).unwrap_or_default();
                let file = tree.join(names.trim_end_matches(['\r', '\n']));
                if file.file_name() == Some(".git".as_ref())
                    && Kind::of(&file) == Kind::File
                    && let Some(file) = self.follow(&file)
                {
                    self.parts.insert(file);
                }
                self.folder(tree, OF_A_LINKED_TREE);
            }
        }
    }

    /// Goes to a path as the kernel would. `None` where that is not in the
    /// workspace.
    fn follow(&mut self, path: &Path) -> Option<PathBuf> {
        let mut here = PathBuf::from("/");
        let mut left: Vec<OsString> = Vec::new();
        let mut links = 0;
        push(&mut left, path);
        while let Some(name) = left.pop() {
            if name == ".." {
                here.pop();
                continue;
            }
            let next = here.join(&name);
            let inside = next.starts_with(&self.workspace) && next != self.workspace;
            match Kind::of(&next) {
                Kind::Link(target) => {
                    links += 1;
                    if links > MOST_LINKS {
                        return None;
                    }
                    if inside {
                        self.links.insert(next);
                    }
                    if target.is_absolute() {
                        here = PathBuf::from("/");
                    }
                    push(&mut left, &target);
                }
                kind @ (Kind::Folder | Kind::File | Kind::Missing) => {
                    if inside && kind == Kind::Folder {
                        self.passed.insert(next.clone());
                    }
                    // Below something missing all is missing.
                    if inside && kind == Kind::Missing && here.is_dir() {
                        self.open.insert(here);
                    }
                    here = next;
                }
            }
        }
        (here.starts_with(&self.workspace) && here != self.workspace).then_some(here)
    }
}

/// Where a workspace's submodules are, as far as they can be found without looking everywhere.
pub(crate) fn submodules_of(workspace: &Path) -> BTreeSet<PathBuf> {
    let folder = repository_of(&workspace.join(".git"));
    folder.map(|folder| submodules::of(workspace, &folder)).unwrap_or_default()
}

/// The attributes that lie in git's own folder and in those of submodules, by their real paths: no
/// setting keeps git from reading them.
pub(crate) fn own_attributes(workspace: &Path) -> BTreeSet<PathBuf> {
    let trees = submodules_of(workspace).into_iter().chain([workspace.to_owned()]);
    let of_one = |tree: PathBuf| {
        let folder = repository_of(&tree.join(".git"))?;
        let common = common_of(&folder).unwrap_or(folder);
        let file = common.join("info/attributes").canonicalize().ok()?;
        file.is_file().then_some(file)
    };
    trees.filter_map(of_one).collect()
}

/// The filters that a workspace's repository and its submodules name programs for.
pub(crate) fn filters_of(workspace: &Path) -> BTreeSet<String> {
    let trees = submodules_of(workspace).into_iter().chain([workspace.to_owned()]);
    let folders = trees.filter_map(|tree| repository_of(&tree.join(".git")));
    let mut filters = BTreeSet::new();
    for file in folders.flat_map(|folder| configs_of(&folder)) {
        settings::read(&file, &|_, _| true, &mut |_, setting| {
            if setting.section == "filter" {
                filters.insert(setting.name.clone());
            }
        });
    }
    filters
}

/// Whether a workspace's repository names its objects by SHA-256.
pub(crate) fn has_long_names(workspace: &Path) -> bool {
    let Some(folder) = repository_of(&workspace.join(".git")) else { return false };
    let mut long = false;
    for file in configs_of(&folder) {
        settings::read(&file, &|_, _| false, &mut |_, setting| {
            if setting.section == "extensions" && setting.key == "objectformat" {
                long = setting.value.eq_ignore_ascii_case("sha256");
            }
        });
    }
    long
}

/// What git would run for the repository that `.git` is or names: settings and hooks.
pub(crate) fn run_by(git: &Path) -> Vec<String> {
    let Some(folder) = repository_of(git) else { return Vec::new() };
    let mut runs = BTreeSet::new();
    for file in configs_of(&folder) {
        settings::read(&file, &|_, _| true, &mut |_, setting| {
            let is_set = !matches!(setting.value.as_str(), "" | "true" | "false");
            let is_run = setting.runs() || setting.key == "hookspath";
            if is_set && is_run {
                runs.insert(format!("{}.{}", setting.section, setting.key));
            }
        });
    }
    let hooks = std::fs::read_dir(folder.join("hooks")).into_iter().flatten().flatten();
    let names = hooks.map(|entry| entry.file_name().to_string_lossy().into_owned());
    runs.extend(
        names.filter(|name| !name.ends_with(".sample")).map(|name| format!("hooks/{name}")),
    );
    runs.into_iter().collect()
}

/// Commands that a rebase which has stopped runs when it goes on, in the repository that `.git` is
/// or names and in its linked work trees.
pub(crate) fn waiting_in(git: &Path) -> BTreeSet<String> {
    let Some(folder) = repository_of(git) else { return BTreeSet::new() };
    let trees = std::fs::read_dir(folder.join("worktrees")).into_iter().flatten().flatten();
    let folders = trees.map(|tree| tree.path()).chain([folder]);
    let lists = folders.filter_map(|one| known::text(&one.join("rebase-merge/git-rebase-todo")));
    let of_one = |list: String| {
        let lines = list.lines().map(str::trim).map(str::to_owned);
        let runs = |line: &String| {
            matches!(line.split([' ', '\t']).next(), Some("exec" | "x"))
                && line.contains([' ', '\t'])
        };
        lines.filter(runs).collect::<Vec<_>>()
    };
    lists.flat_map(of_one).collect()
}

/// The folder of the repository that `.git` is or names.
fn repository_of(git: &Path) -> Option<PathBuf> {
    if git.is_dir() { Some(git.to_owned()) } else { named_folder(git) }
}

/// The settings in one of git's folders, and in the one that it shares with others.
fn configs_of(folder: &Path) -> Vec<PathBuf> {
    let common = common_of(folder);
    let both = common.iter().map(PathBuf::as_path).chain([folder]);
    both.flat_map(|folder| ["config", "config.worktree"].map(|name| folder.join(name))).collect()
}

/// The folder that one of git's folders shares with others.
fn common_of(folder: &Path) -> Option<PathBuf> {
    let text = known::text(&folder.join("commondir"))?;
    Some(folder.join(text.trim_end_matches(['\r', '\n'])))
}

/// Whether a folder is there, and not by a link.
fn is_folder(path: &Path) -> bool {
    Kind::of(path) == Kind::Folder
}

/// Puts the parts of a path on top of what is left to walk.
fn push(left: &mut Vec<OsString>, path: &Path) {
    left.extend(path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    }));
}

/// The folder that a file `.git` names.
fn named_folder(file: &Path) -> Option<PathBuf> {
    let text = known::text(file)?;
    let named =
        text.strip_prefix("gitdir:")?.trim_start_matches(' ').trim_end_matches(['\r', '\n']);
    Some(file.parent()?.join(named))
}

/// What is at a path, without following a link there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    File,
    Link(PathBuf),
    Missing,
}

impl Kind {
    pub(crate) fn of(path: &Path) -> Self {
        match path.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => {
                Self::Link(std::fs::read_link(path).unwrap_or_default())
            }
            Ok(meta) if meta.is_dir() => Self::Folder,
            Ok(_) => Self::File,
            Err(_) => Self::Missing,
        }
    }
}
