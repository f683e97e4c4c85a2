//! A private clone of a repository, made of its files alone.
//!
//! Objects are read from where they are. References, the index and what is ignored are copied; of
//! the settings only those that say how files are stored and who commits. Hooks, remotes, the stash and everything
//! else that runs something or belongs to the person stays behind, and no git is started.

use super::CopyError;
use crate::error::ToolError;
use crate::files::confined;
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
const KEPT: [&str; 2] = ["objectformat", "refstorage"];
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
    let objects = common.root().join("objects");
    let git = work.join(".git");
    let made = |err| CopyError::io("making a clone", err);
    for folder in ["objects/info", "objects/pack", "refs/heads", "info", "hooks"] {
        fs::create_dir_all(git.join(folder)).map_err(made)?;
    }
    fs::write(git.join("config"), settings(&text(&common, "config")?)?).map_err(made)?;
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

/// The settings of a clone.
fn settings(config: &str) -> Result<String, CopyError> {
    let mut core = String::new();
    let mut extensions = String::new();
    let mut user = String::new();
    let mut section = String::new();
    for line in config.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.split(']').next().unwrap_or_default().trim().to_ascii_lowercase();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        let plain = !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric());
        match section.as_str() {
            "core" if plain && CORE.contains(&key.as_str()) => {
                core.push_str(&format!("\t{key} = {value}\n"));
            }
            "user" if USER.contains(&key.as_str()) => {
                if let Some(value) = words(value) {
                    user.push_str(&format!("\t{key} = \"{value}\"\n"));
                }
            }
            "extensions" if plain && KEPT.contains(&key.as_str()) => {
                extensions.push_str(&format!("\t{key} = {value}\n"));
            }
            "extensions" if !NEEDLESS.contains(&key.as_str()) => {
                return Err(refused(&format!("it uses the extension {key}")));
            }
            _ => {}
        }
    }
    Ok(format!(
        "[core]\n\tbare = false\n\thooksPath = /dev/null\n{core}[user]\n{user}[extensions]\n\
         {extensions}"
    ))
}

/// The words of a setting as they stand between quotes: without a comment behind them, and with
/// what would mean something to git marked as git has it. Where they can't be read, none.
fn words(value: &str) -> Option<String> {
    let (mut words, mut kept, mut quoted) = (String::new(), 0, false);
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => {
                words.push('\\');
                words.push(chars.next().filter(|next| matches!(next, '"' | '\\'))?);
            }
            _ if c.is_control() => return None,
            _ => words.push(c),
        }
        if quoted || !c.is_whitespace() {
            kept = words.len();
        }
    }
    words.truncate(kept);
    (!quoted && !words.is_empty()).then_some(words)
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

    #[test]
    fn only_settings_that_say_how_files_are_stored_and_who_commits_are_kept() {
        let theirs = "[core]\n\trepositoryformatversion = 1\n\tfsmonitor = /bin/evil\n\tfileMode = \
                      true\n\thooksPath = hooks\n\tautocrlf = $(evil)\n[extensions]\n\tobjectFormat \
                      = sha256\n[filter \"x\"]\n\tclean = evil\n[alias]\n\tst = !evil\n[user]\n\tName = Ann \\\"A\\\" \
                      \"O # B\" # c\n\temail=a@b.c\n\tsigningkey = evil\n[user \"x\"]\n\tname = \
                      evil\n";
        let ours = settings(theirs).unwrap();
        assert_eq!(
            ours,
            "[core]\n\tbare = false\n\thooksPath = /dev/null\n\trepositoryformatversion = \
             1\n\tfilemode = true\n[user]\n\tname = \"Ann \\\"A\\\" O # B\"\n\temail = \
             \"a@b.c\"\n[extensions]\n\tobjectformat = sha256\n"
        );
        for odd in ["a \\", "\"a", "a\\nb", "a\u{7}b", "", "# a"] {
            assert_eq!(words(odd), None, "{odd:?}");
        }
        assert!(settings("[extensions]\n\tpartialClone = origin\n").is_err());
    }
}
