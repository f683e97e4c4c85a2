//! A private clone of a repository, made of its files alone.
//!
//! Objects are read from where they are. References, the index and what is ignored are copied; of
//! the settings that hold in the workspace, only those that say how files are stored and who commits.
//! Hooks, remotes, the stash and everything else that runs something or belongs to the person stays
//! behind.

use super::CopyError;
use crate::error::ToolError;
use crate::files::confined;
use crate::git_settings::{self, GitSetting, GitSettings};
use crate::sandbox::main_repository;
use crate::workspace::Workspace;
use rustix::fs::{FileType, Timespec, Timestamps};
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Files right in git's folder that belong to one work tree.
const OF_THE_TREE: [&str; 2] = ["HEAD", "index"];
/// Files of all its work trees.
const OF_ALL: [&str; 3] = ["packed-refs", "shallow", "info/exclude"];
/// The longest file that is copied.
const LONGEST: u64 = 512 * 1024 * 1024;

/// Settings that say how files are stored.
const CORE: [&str; 7] = [
    "repositoryformatversion",
    "filemode",
    "symlinks",
    "ignorecase",
    "precomposeunicode",
    "autocrlf",
    "eol",
];
/// Settings that say who commits.
const USER: [&str; 2] = ["name", "email"];
/// Extensions that are kept, and those without which a clone works as well.
const EXTENSIONS: [&str; 2] = ["objectformat", "refstorage"];
const NEEDLESS: [&str; 4] = ["noop", "worktreeconfig", "preciousobjects", "relativeworktrees"];

/// Clones the repository of a workspace to `work`, and says where its objects are; nothing where
/// there is none. It may borrow objects only from where they are `shared`.
pub(super) fn clone(
    ws: &Workspace,
    shared: &[PathBuf],
    work: &Path,
) -> Result<Option<PathBuf>, CopyError> {
    let top = ws.root().join(".git");
    let kind = match top.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => return Err(refused("`.git` is a link")),
        Ok(meta) => meta.file_type(),
        Err(_) => return Ok(None),
    };
    let (tree, common) = if kind.is_dir() {
        (top.clone(), top)
    } else {
        let Some(common) = main_repository(&top) else {
            return Err(refused("it is part of another one"));
        };
        (linked(ws)?, common)
    };
    let (tree, common) = (open(tree)?, open(common)?);
    let kind = confined::stat(&common, Path::new("objects"))?.map(|stat| confined::kind(&stat));
    if kind != Some(FileType::Directory) {
        return Err(refused("its objects are elsewhere"));
    }
    borrows_only(&common, shared)?;
    let theirs = GitSettings::of(ws.root());
    let is_it = |folder: &Option<PathBuf>, ours: &Workspace| folder.as_deref() == Some(ours.root());
    if !is_it(&theirs.git_dir, &tree) || !is_it(&theirs.common_dir, &common) {
        return Err(refused("git can't read it, or takes it for another one"));
    }
    let objects = common.root().join("objects");
    let git = work.join(".git");
    let made = |err| CopyError::io("making a clone", err);
    for folder in ["objects/info", "objects/pack", "refs/heads", "info", "hooks"] {
        fs::create_dir_all(git.join(folder)).map_err(made)?;
    }
    fs::write(git.join("config"), settings(&theirs)?).map_err(made)?;
    let mut named = objects.as_os_str().as_bytes().to_vec();
    if named.contains(&b'\n') || named.starts_with(b"\"") {
        return Err(refused("the name of its folder can't be written down"));
    }
    named.push(b'\n');
    fs::write(git.join("objects/info/alternates"), named).map_err(made)?;
    for (from, names) in [(&tree, &OF_THE_TREE[..]), (&common, &OF_ALL[..])] {
        for name in names {
            copy(from, Path::new(name), &git)?;
        }
    }
    for name in names(&tree, Path::new(""))? {
        if name.to_string_lossy().starts_with("sharedindex.") {
            copy(&tree, &name, &git)?;
        }
    }
    for folder in ["refs", "reftable"] {
        copy_folder(&common, Path::new(folder), &git)?;
    }
    Ok(Some(objects))
}

/// Opens one of git's folders, if no link leads there: a command may put one there just now.
fn open(folder: PathBuf) -> Result<Workspace, CopyError> {
    let opened = Workspace::open(&folder)?;
    match opened.root() == folder && opened.is_in_place() {
        true => Ok(opened),
        false => Err(refused("its folder is a link")),
    }
}

/// Refuses a repository that names other folders with objects than those that copies share. Whoever
/// writes to it can name those of any repository, and they are not shown to anybody.
fn borrows_only(common: &Workspace, shared: &[PathBuf]) -> Result<(), CopyError> {
    let named = match text(common, "objects/info/alternates") {
        Err(CopyError::Tool(ToolError::NotFound { .. })) => return Ok(()),
        named => named?,
    };
    let named = named.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    match named.map(Path::new).all(|named| shared.iter().any(|one| one == named)) {
        true => Ok(()),
        false => Err(refused("it borrows objects from another one")),
    }
}

fn refused(why: &str) -> CopyError {
    CopyError::Repository { why: why.to_owned() }
}

/// Where a linked work tree has what is its own; `main_repository` has looked at the name.
fn linked(ws: &Workspace) -> Result<PathBuf, CopyError> {
    let named = text(ws, ".git")?;
    let named = named.strip_prefix("gitdir: ").unwrap_or_default();
    Ok(PathBuf::from(named.trim_end()))
}

/// The settings of a clone, of those that git lists.
fn settings(theirs: &GitSettings) -> Result<String, CopyError> {
    let mut extensions = theirs.all.iter().filter(|one| one.section == "extensions");
    let is_odd = |one: &&GitSetting| {
        !EXTENSIONS.contains(&one.key.as_str()) && !NEEDLESS.contains(&one.key.as_str())
    };
    if let Some(odd) = extensions.find(is_odd) {
        return Err(refused(&format!("it uses the extension {}", odd.key)));
    }
    let mut text = "[core]\n\tbare = false\n\thooksPath = /dev/null\n".to_owned();
    for (section, keys) in [("core", &CORE[..]), ("user", &USER), ("extensions", &EXTENSIONS)] {
        text.push_str(&format!("[{section}]\n"));
        let set = keys.iter().filter_map(|key| Some((key, theirs.value(section, key)?)));
        // Without a value most of them mean what is usual anyway.
        let set = set.filter(|(_, value)| !value.is_empty());
        text.extend(set.map(|(key, value)| git_settings::line(key, value)));
    }
    Ok(text)
}

fn text(from: &Workspace, name: &str) -> Result<String, CopyError> {
    let (file, _) = confined::open_file(from, Path::new(name))?;
    let mut text = String::new();
    file.take(1024 * 1024)
        .read_to_string(&mut text)
        .map_err(|err| CopyError::io(format!("reading `{name}`"), err))?;
    Ok(text)
}

/// Copies a file of git's folder, if it is there.
fn copy(from: &Workspace, path: &Path, git: &Path) -> Result<(), CopyError> {
    let doing = |err| CopyError::io(format!("copying `{}`", path.display()), err);
    let (file, stat) = match confined::open_file(from, path) {
        Ok(opened) => opened,
        Err(ToolError::NotFound { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    if stat.st_size.unsigned_abs() > LONGEST {
        return Err(refused(&format!("{} is too large", path.display())));
    }
    let mut to = fs::File::create(git.join(path)).map_err(doing)?;
    std::io::copy(&mut file.take(LONGEST), &mut to).map_err(doing)?;
    // Git looks into a file that is as new as the index, for its times tell nothing. An index that
    // seems newer would hide what was changed right after it was written.
    let time = Timespec { tv_sec: stat.st_mtime, tv_nsec: stat.st_mtime_nsec as _ };
    let times = Timestamps { last_access: time, last_modification: time };
    rustix::fs::futimens(&to, &times).map_err(|err| doing(err.into()))
}

fn copy_folder(from: &Workspace, folder: &Path, git: &Path) -> Result<(), CopyError> {
    fs::create_dir_all(git.join(folder)).map_err(|err| CopyError::io("making a clone", err))?;
    for path in names(from, folder)? {
        // What the person put aside is theirs alone.
        if path == Path::new("refs/stash") {
            continue;
        }
        let kind = confined::stat(from, &path)?.map(|stat| confined::kind(&stat));
        match kind {
            Some(FileType::Directory) => copy_folder(from, &path, git)?,
            Some(FileType::RegularFile) => copy(from, &path, git)?,
            _ => {}
        }
    }
    Ok(())
}

fn names(from: &Workspace, folder: &Path) -> Result<Vec<PathBuf>, CopyError> {
    let open = match confined::open_folder(from, folder) {
        Ok(open) => open,
        Err(ToolError::NotFound { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let doing = |err| CopyError::io(format!("listing `{}`", folder.display()), err);
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(&open).map_err(doing)? {
        let entry = entry.map_err(doing)?;
        let name = std::ffi::OsStr::from_bytes(entry.file_name().to_bytes());
        // Locks are of work that is under way.
        if name != "." && name != ".." && Path::new(name).extension() != Some("lock".as_ref()) {
            names.push(folder.join(name));
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn repository(config: &str) -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        let init = Command::new("git").args(["init", "-q"]).arg(home.path()).status();
        assert!(init.unwrap().success());
        fs::write(home.path().join(".git/config"), config).unwrap();
        home
    }

    /// What git lists of a clone of a repository with these settings.
    fn cloned(config: &str) -> Result<String, CopyError> {
        let (home, to) = (repository(config), tempfile::tempdir().unwrap());
        fs::write(home.path().join("more"), "[user]\n\tname = From \\\nmore\n").unwrap();
        let work = to.path().join("work");
        clone(&Workspace::open(home.path())?, &[], &work)?;
        let listed = Command::new("git")
            .args(["config", "--list", "-z", "--file"])
            .arg(work.join(".git/config"))
            .output()
            .unwrap();
        assert!(listed.status.success(), "{listed:?}");
        let listed = String::from_utf8(listed.stdout).unwrap();
        Ok(listed
            .split_terminator('\0')
            .skip(2)
            .map(|one| one.replacen('\n', "=", 1) + "\n")
            .collect())
    }

    #[test]
    fn only_settings_that_say_how_files_are_stored_and_who_commits_are_kept() {
        let theirs = "[core]\n\trepositoryformatversion = 1\n\tfsmonitor = /bin/evil\n\tfileMode = \
                      true\n\thooksPath = hooks\n\tpager = evil\n\tsymlinks\n[filter \"x\"]\n\tclean = \
                      evil\n[alias]\n\tst = !evil\n[user]\n\tName = Ann \\\"A\\\" \\\\ \\\n\"O # B\" # c\n\t\
                      email=\"a@b.c\\n[core]\\nfsmonitor = evil\"\n\tsigningkey = evil\n[user \
                      \"x\"]\n\tname = evil\n[core] eol = \"lf\\\"\\n\\thooksPath = evil\"\n";
        assert_eq!(
            cloned(theirs).unwrap(),
            "core.repositoryformatversion=1\ncore.filemode=true\ncore.eol=lf\"hooksPath = \
             evil\nuser.name=Ann \"A\" \\ O # B\nuser.email=a@b.c[core]fsmonitor = evil\n"
        );
        let included = cloned("[core]\n\tfilemode = true\n[include]\n\tpath = ../more\n");
        assert!(included.unwrap().contains("user.name=From more\n"));
    }

    #[test]
    fn a_repository_that_git_reads_otherwise_is_not_cloned() {
        for config in [
            "[extensions]\n\tpartialClone = origin\n",
            "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunheardOf = 1\n",
            "[core]\n\tautocrlf = $(evil)\n",
            "[core\n",
        ] {
            assert!(matches!(cloned(config), Err(CopyError::Repository { .. })), "{config}");
        }
    }

    /// Else whoever may write in it would choose whose objects, references and names are copied.
    #[test]
    fn a_repository_whose_git_leads_to_another_one_is_not_cloned() {
        let (home, other) =
            (repository("[user]\n\tname = a\n"), repository("[user]\n\tname = b\n"));
        let common = other.path().join(".git");
        fs::write(home.path().join(".git/commondir"), common.to_str().unwrap()).unwrap();
        let to = tempfile::tempdir().unwrap();
        let made = clone(&Workspace::open(home.path()).unwrap(), &[], &to.path().join("work"));
        assert!(matches!(made, Err(CopyError::Repository { .. })), "{made:?}");
    }
}
