//! The person's own settings for npm, uv and pip. Only files of the person and the system are read,
//! and variables: never a workspace, a project or a package.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Variables that name a proxy, which an install does not use.
const PROXIES: [&str; 3] = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"];

/// Where package managers find the person's settings.
#[derive(Clone, Debug, Default)]
pub struct PackageSettings {
    /// The person's home folder.
    pub home: PathBuf,
    /// The environment.
    pub variables: BTreeMap<String, String>,
}

impl PackageSettings {
    /// Those of whoever started this program.
    pub fn of_this_process() -> Self {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self { home: std::env::home_dir().unwrap_or_default(), variables: variables.collect() }
    }

    /// The variable that names a proxy, if one is set.
    pub(super) fn proxy(&self) -> Option<&'static str> {
        let set = |name: &&str| self.get(name).or(self.get(&name.to_lowercase())).is_some();
        PROXIES.into_iter().find(set)
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The person's folder for settings.
    pub(super) fn config(&self) -> PathBuf {
        self.get("XDG_CONFIG_HOME").map_or_else(|| self.home.join(".config"), PathBuf::from)
    }

    /// npm's settings, later ones over earlier ones.
    pub(super) fn npm(&self, unread: &mut Option<PathBuf>) -> BTreeMap<String, String> {
        let variables = self.variables.iter().filter_map(|(name, value)| {
            let (start, name) = name.split_at_checked("npm_config_".len())?;
            let named = start.eq_ignore_ascii_case("npm_config_");
            let plain = !name.starts_with(['/', '@']);
            let name = if plain { name.to_lowercase().replace('_', "-") } else { name.to_owned() };
            named.then(|| (name, value.clone()))
        });
        let variables: BTreeMap<String, String> = variables.collect();
        let user = variables.get("userconfig").map(PathBuf::from);
        let user = lines(&user.unwrap_or_else(|| self.home.join(".npmrc")), unread);
        let user: BTreeMap<String, String> = user.into_iter().collect();
        let prefix = variables.get("prefix").or(user.get("prefix")).map(PathBuf::from);
        let prefix = prefix.or_else(|| self.node().ancestors().nth(2).map(Path::to_owned));
        let global = match variables.get("globalconfig") {
            Some(file) => lines(Path::new(file), unread),
            None => {
                let own = prefix.map(|prefix| lines(&prefix.join("etc/npmrc"), unread));
                lines(Path::new("/etc/npmrc"), unread)
                    .into_iter()
                    .chain(own.into_iter().flatten())
                    .collect()
            }
        };
        let files = global.into_iter().chain(user);
        let files = files.map(|(name, value)| (self.filled(&name), self.filled(&value)));
        files.chain(variables).filter(|(_, value)| !value.contains(char::is_control)).collect()
    }

    /// Where Node.js is, which tells where npm keeps what is for everyone.
    fn node(&self) -> PathBuf {
        let path = std::env::split_paths(self.get("PATH").unwrap_or_default());
        path.map(|folder| folder.join("node")).find(|file| file.is_file()).unwrap_or_default()
    }

    /// A text with variables in it, as npm reads `${NAME}`.
    fn filled(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, after)) = after.split_once('}') else { break };
            filled.push_str(before);
            filled.push_str(self.get(name.trim_end_matches('?')).unwrap_or_default());
            rest = after;
        }
        filled + rest
    }

    /// A setting of pip, which may be several addresses.
    pub(super) fn pip(&self, name: &str, unread: &mut Option<PathBuf>) -> Option<String> {
        let variable = format!("PIP_{}", name.to_uppercase().replace('-', "_"));
        if let Some(value) = self.get(&variable) {
            return Some(value.to_owned());
        }
        let files = match self.get("PIP_CONFIG_FILE") {
            Some(file) => vec![PathBuf::from(file)],
            None => vec![
                self.config().join("pip/pip.conf"),
                self.home.join(".pip/pip.conf"),
                PathBuf::from("/etc/pip.conf"),
            ],
        };
        let mut found = files.iter().flat_map(|file| lines(file, unread).into_iter().rev());
        found.find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

/// The settings of a file in lines. A line that is indented goes on with the one before. A file that
/// is there and can't be read is noted: it may name another registry.
fn lines(file: &Path, unread: &mut Option<PathBuf>) -> Vec<(String, String)> {
    let bytes = std::fs::read(file).unwrap_or_else(|error| {
        if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
            *unread = Some(file.to_owned());
        }
        Vec::new()
    });
    let text = String::from_utf8_lossy(&bytes);
    let mut found: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let is_more = line.starts_with([' ', '\t']) && !line.contains('=');
        let line = line.trim();
        if line.is_empty() || line.starts_with([';', '#', '[']) {
            continue;
        }
        match (line.split_once('='), found.last_mut()) {
            (_, Some((_, value))) if is_more => {
                value.push(' ');
                value.push_str(line);
            }
            (Some((name, value)), _) => {
                let value = value.trim().trim_matches(['"', '\'']);
                found.push((name.trim().to_owned(), value.to_owned()));
            }
            (None, _) => {}
        }
    }
    found
}
