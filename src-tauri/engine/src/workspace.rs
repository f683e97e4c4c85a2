//! Which folders can be a room's workspace.

use crate::config::Config;
use crate::error::EngineError;
use crate::guarded;
use crate::worked::Worked;
use plan::{Actor, Surface};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Who wants a room to work in a folder, and with how much of a person's say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opener {
    /// The person at the window, who chose it by hand.
    Window,
    /// The person at the command line.
    CommandLine,
    /// A token that may approve.
    Approver,
    /// A token that may not.
    Token,
}

impl Opener {
    /// Who an actor is, where no rights are known.
    pub(crate) fn of(actor: &Actor) -> Self {
        match actor.surface {
            Surface::Window | Surface::Tray | Surface::Notification => Self::Window,
            Surface::Cli => Self::CommandLine,
            Surface::Api | Surface::Turn | Surface::Engine => Self::Token,
        }
    }

    /// Whether a folder opened so counts as one that a person opened.
    pub(crate) fn is_by_hand(self) -> bool {
        matches!(self, Self::Window | Self::CommandLine)
    }
}

/// Refuses a folder, resolved, that this opener may not open: hidden ones are opened by hand in the
/// window first, and a token that may not approve gets no folder that nobody gave it.
pub(crate) fn may_open(
    opener: Opener,
    real: &Path,
    opened: &Worked,
    config: &Config,
) -> Result<(), EngineError> {
    if opener == Opener::Window || opened.is_opened(real) {
        return Ok(());
    }
    if guarded::is_hidden(real) {
        return Err(EngineError::BadWorkspace(format!(
            "{} is a hidden folder or lies in one; open it in the window first",
            real.display()
        )));
    }
    let is_listed = |listed: &PathBuf| {
        let listed = listed.canonicalize();
        listed.is_ok_and(|listed| real.starts_with(listed))
    };
    if opener == Opener::Token && !config.workspaces.iter().any(is_listed) {
        return Err(EngineError::NotOpened(real.display().to_string()));
    }
    Ok(())
}

/// The folder, resolved, if a room may work in it, whoever asks.
pub(crate) fn check(folder: &Path, own: &[PathBuf]) -> Result<PathBuf, EngineError> {
    let bad = |why: String| EngineError::BadWorkspace(why);
    if !folder.is_absolute() {
        return Err(bad(format!("{} is not an absolute path", folder.display())));
    }
    let real = folder
        .canonicalize()
        .map_err(|error| bad(format!("{} {}", folder.display(), why_not(&error))))?;
    if !real.is_dir() {
        return Err(bad(format!("{} is not a folder", folder.display())));
    }
    let system =
        ["/usr", "/etc", "/proc", "/sys", "/dev", "/run", "/boot", "/bin", "/sbin", "/lib"];
    let home = std::env::home_dir();
    let whole =
        system.iter().map(PathBuf::from).chain(home).any(|folder| folder.starts_with(&real));
    if whole || system.iter().any(|folder| real.starts_with(folder)) || holds_many(&real) {
        return Err(bad(format!(
            "{} can't be a room's folder: it is your home, a folder of the system or one that many \
             share, or holds one of these; choose a folder for this work alone",
            folder.display()
        )));
    }
    if let Some(why) = guarded::trouble(&real) {
        return Err(bad(format!(
            "{} {why}, lies in a folder that does, or holds one; no room can work there",
            folder.display()
        )));
    }
    for own in own {
        if real.starts_with(own) || own.starts_with(&real) {
            return Err(bad(format!("{} {}", folder.display(), holds_ours(&real, own))));
        }
    }
    Ok(real)
}

/// Why no room can work in a folder that holds this path of ours, or lies in it.
fn holds_ours(folder: &Path, own: &Path) -> String {
    let own_name = own.display();
    match folder.starts_with(own) {
        true => format!("lies in {own_name}, which is Plancard's own; choose another folder"),
        false => format!(
            "holds {own_name}, which is Plancard's own; move that out, or choose another folder"
        ),
    }
}

/// Whether a folder is one of those in which everybody's work lies side by side, or all that a
/// person has.
fn holds_many(folder: &Path) -> bool {
    let many = [
        "/var", "/var/lib", "/var/tmp", "/opt", "/srv", "/home", "/root", "/mnt", "/media", "/tmp",
    ];
    many.iter().any(|one| folder == Path::new(one)) || folder.parent() == Some(Path::new("/home"))
}

/// Why a folder can't be used, in words.
fn why_not(error: &std::io::Error) -> String {
    let kinds = [
        (ErrorKind::NotFound, "is not there"),
        (ErrorKind::NotADirectory, "is not a folder"),
        (ErrorKind::PermissionDenied, "may not be opened by you"),
    ];
    let known = kinds.iter().find(|(kind, _)| *kind == error.kind());
    known.map_or_else(
        || format!("can't be opened: {}", error.kind()),
        |(_, words)| (*words).to_owned(),
    )
}

/// What a room on this folder is called at first.
pub(crate) fn name(folder: &Path) -> String {
    match folder.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => folder.display().to_string(),
    }
}

/// The folder that [`make_sample`] would make now, in the person's home.
pub fn next_sample() -> Result<PathBuf, EngineError> {
    let bad = |why: &str| EngineError::BadWorkspace(why.to_owned());
    let Some(home) = std::env::home_dir() else {
        return Err(bad("there is no home folder for a sample; name a workspace"));
    };
    (1..1_000)
        .map(|number| home.join(format!("plancard-sample-{number}")))
        .find(|folder| !folder.exists())
        .ok_or_else(|| bad("there are too many sample folders; name a workspace"))
}

/// Makes a new folder with a few files to try things on.
pub fn make_sample() -> Result<PathBuf, EngineError> {
    let bad = |why: String| EngineError::BadWorkspace(why);
    let folder = next_sample()?;
    let write = || -> std::io::Result<()> {
        std::fs::create_dir(&folder)?;
        for (path, content) in models::sample_files() {
            let file = folder.join(path);
            std::fs::create_dir_all(file.parent().unwrap_or(&folder))?;
            std::fs::write(file, content)?;
        }
        Ok(())
    };
    write().map_err(|error| bad(format!("a sample folder can't be made: {error}")))?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_holds_many_works_is_none() {
        for many in [
            "/",
            "/var",
            "/var/lib",
            "/var/tmp",
            "/opt",
            "/srv",
            "/home",
            "/home/someone",
            "/root",
            "/mnt",
            "/media",
            "/tmp",
        ] {
            assert!(holds_many(Path::new(many)) || many == "/", "{many}");
            // Some are not there on every computer, and some are links.
            if Path::new(many).canonicalize().is_ok_and(|real| real == Path::new(many)) {
                let error = check(Path::new(many), &[]).unwrap_err().to_string();
                assert!(error.contains("a folder for this work alone"), "{error}");
            }
        }
        for one in
            ["/opt/project", "/srv/x", "/home/u/x", "/var/lib/x", "/mnt/disk", "/media/u", "/data"]
        {
            assert!(!holds_many(Path::new(one)), "{one}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(check(folder.path(), &[]).unwrap(), folder.path().canonicalize().unwrap());
    }
}
