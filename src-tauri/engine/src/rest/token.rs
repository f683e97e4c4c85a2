//! The token that opens the API: given, or made once and kept where only its owner can read.

use super::Token;
pub use super::token_environment::take_token;
use super::token_environment::{self, VARIABLE};
use crate::config::Rights;
use std::env::VarError;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The shortest token that is accepted.
const SHORTEST: usize = 16;

/// The file of a data folder that holds the token.
pub fn file_in(data: &Path) -> PathBuf {
    data.join("token")
}

/// The token to use: given, else kept.
pub fn obtain(data: &Path) -> Result<Obtained, String> {
    match given()? {
        Some(token) => Ok(token),
        None => kept(data),
    }
}

/// A token and where it is kept, if it is.
pub struct Obtained {
    /// The secret.
    pub secret: String,
    /// The file that holds it.
    pub file: Option<PathBuf>,
}

impl Obtained {
    /// The token of its owner: it may do what was said as the program started, else what the
    /// settings say.
    pub fn owner(&self, rights: Option<Rights>) -> Token {
        Token { name: "owner".to_owned(), secret: self.secret.clone(), rights }
    }
}

/// What `plancard serve` was told its token may do, if it was.
pub fn rights_given() -> Result<Option<Rights>, String> {
    let Some(words) = variable("PLANCARD_RIGHTS")? else { return Ok(None) };
    let rights = Rights::from_words(words.split(','));
    rights.map(Some).map_err(|wrong| format!("PLANCARD_RIGHTS {wrong}"))
}

fn variable(name: &str) -> Result<Option<String>, String> {
    match std::env::var(name) {
        Ok(text) => Ok(Some(text)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(format!("{name} must be plain text")),
    }
}

/// The token from the environment, if there is one.
pub fn given() -> Result<Option<Obtained>, String> {
    let secret = token_environment::taken().map_or_else(|| variable(VARIABLE), |it| Ok(Some(it)));
    let Some(secret) = secret? else { return Ok(None) };
    if secret.len() < SHORTEST {
        return Err(format!("{VARIABLE} must have at least {SHORTEST} characters"));
    }
    Ok(Some(Obtained { secret, file: None }))
}

/// The token in the data folder, made if need be.
pub fn kept(data: &Path) -> Result<Obtained, String> {
    let file = file_in(data);
    let said = |error: std::io::Error| format!("{} can't be used: {error}", file.display());
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(data).map_err(said)?;
    let secret = match std::fs::read_to_string(&file) {
        Ok(kept) if kept.trim().len() >= SHORTEST => {
            // A file that others could read may have been read by others.
            let mode = std::fs::metadata(&file).map_err(said)?.permissions().mode();
            if mode & 0o077 == 0 { kept.trim().to_owned() } else { make(&file).map_err(said)? }
        }
        Ok(_) => make(&file).map_err(said)?,
        Err(error) if error.kind() == ErrorKind::NotFound => make(&file).map_err(said)?,
        Err(error) => return Err(said(error)),
    };
    Ok(Obtained { secret, file: Some(file) })
}

fn make(file: &Path) -> std::io::Result<String> {
    let secret = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
    match std::fs::remove_file(file) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut open = OpenOptions::new();
    let mut kept = open.write(true).create_new(true).mode(0o600).open(file)?;
    writeln!(kept, "{secret}")?;
    Ok(secret)
}
