//! Which folders can be a room's workspace.

use crate::error::EngineError;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder, resolved, if a room may work in it.
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
    if whole || system.iter().any(|folder| real.starts_with(folder)) || real == Path::new("/var") {
        return Err(bad(format!(
            "{} holds more than one piece of work; choose a folder for it",
            folder.display()
        )));
    }
    for own in own {
        if real.starts_with(own) || own.starts_with(&real) {
            return Err(bad(format!(
                "{} holds the app's own files; choose another folder",
                folder.display()
            )));
        }
    }
    Ok(real)
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
