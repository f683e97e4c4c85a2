//! Where the log is kept when nobody says otherwise.

use std::ffi::OsString;
use std::path::PathBuf;

/// The data folder the environment names; `None` without a home.
pub fn data_folder(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    path("PLANCARD_DATA")
        .or_else(|| path("XDG_DATA_HOME").map(|base| base.join("plancard")))
        .or_else(|| path("HOME").map(|home| home.join(".local/share/plancard")))
}
