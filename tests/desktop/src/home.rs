//! A home folder of the desktop's own, with everything the app keeps.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The folders of one person, gone when dropped.
pub struct Home {
    folder: TempDir,
}

impl Default for Home {
    fn default() -> Self {
        let folder = TempDir::new().expect("a temporary folder can be made");
        for name in ["home", "run", "data", "config/plancard", "cache", "logs"] {
            std::fs::create_dir_all(folder.path().join(name)).expect("a folder can be made");
        }
        let only_mine = PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(folder.path().join("run"), only_mine).expect("it is ours");
        Self { folder }
    }
}

impl Home {
    /// A place in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The app's data folder.
    pub fn data(&self) -> PathBuf {
        self.path("data/plancard")
    }

    /// Writes the person's configuration.
    pub fn configure(&self, yaml: &str) {
        let file = self.path("config/plancard/plancard.yaml");
        std::fs::write(file, yaml).expect("the configuration can be written");
    }

    /// Lets the agent ask this model, with the first start over and more configuration below.
    pub fn use_model(&self, base_url: &str, more: &str) {
        self.configure(&format!(
            "providers:\n  test: {{ type: openai, base_url: \"{base_url}\" }}\n\
             agents:\n  default: {{ model: test/scripted }}\nui: {{ first_run_done: true }}\n{more}\n"
        ));
    }

    /// What the settings screen has written.
    pub fn settings(&self) -> String {
        std::fs::read_to_string(self.path("config/plancard/settings.yaml")).unwrap_or_default()
    }

    /// Every file below it that holds these bytes.
    pub fn files_with(&self, bytes: &[u8]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        look(self.folder.path(), bytes, &mut found);
        found
    }

    /// A program that knows this home and nothing of the person who runs the tests.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("LANG", "C.UTF-8")
            .env("HOME", self.path("home"))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            // There is no system bus here, whatever the machine has.
            .env(
                "DBUS_SYSTEM_BUS_ADDRESS",
                format!("unix:path={}", self.path("run/none").display()),
            )
            .current_dir(self.path("home"));
        command
    }
}

fn look(folder: &Path, bytes: &[u8], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            look(&path, bytes, found);
        } else if kind.is_file() {
            let text = std::fs::read(&path).unwrap_or_default();
            if text.windows(bytes.len()).any(|part| part == bytes) {
                found.push(path);
            }
        }
    }
}
