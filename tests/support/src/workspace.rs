//! A folder for a test to work in.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A temporary folder with files in it, gone when dropped.
#[derive(Debug)]
pub struct TempWorkspace {
    folder: TempDir,
}

impl TempWorkspace {
    /// A folder with these files, given as path and content.
    pub fn new(files: &[(&str, &str)]) -> Self {
        // Hidden folders are opened in the window alone.
        let folder = tempfile::Builder::new().prefix("workspace-").tempdir();
        let folder = folder.expect("the system has a place for temporary folders");
        let workspace = Self { folder };
        for (path, content) in files {
            workspace.write(path, content);
        }
        workspace
    }

    /// Where it is, with symbolic links resolved.
    pub fn path(&self) -> PathBuf {
        let path = self.folder.path().canonicalize();
        path.expect("the folder exists as long as this value")
    }

    /// Writes a file, making the folders above it.
    pub fn write(&self, path: &str, content: &str) {
        let whole = self.folder.path().join(path);
        let above = whole.parent().expect("a file is in a folder");
        fs::create_dir_all(above)
            .and_then(|()| fs::write(&whole, content))
            .unwrap_or_else(|error| panic!("cannot write {path}: {error}"));
    }

    /// The content of a file.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path))
            .unwrap_or_else(|error| panic!("cannot read {path}: {error}"))
    }

    /// Whether there is something at that path.
    pub fn has(&self, path: &str) -> bool {
        self.folder.path().join(path).exists()
    }

    /// Every file with its content, by path, so that a test can compare the whole.
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        collect(self.folder.path(), "", &mut files);
        files.sort();
        files
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, String)>) {
    let entries = fs::read_dir(folder).expect("a folder of the workspace can be read");
    for entry in entries {
        let entry = entry.expect("an entry of the workspace can be read");
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().expect("an entry has a type");
        if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
            continue;
        }
        // A link may lead nowhere; it still is an entry that a test wants to see.
        let content = fs::read(entry.path()).unwrap_or_default();
        files.push((path, String::from_utf8_lossy(&content).into_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_by_path() {
        let workspace = TempWorkspace::new(&[("src/a.rs", "one"), ("README.md", "two")]);
        workspace.write("src/deep/b.rs", "three");
        let expected = [("README.md", "two"), ("src/a.rs", "one"), ("src/deep/b.rs", "three")]
            .map(|(path, content)| (path.to_string(), content.to_string()));
        assert_eq!(workspace.files(), expected);
        assert!(workspace.has("src/deep"));
        assert_eq!(workspace.read("src/a.rs"), "one");
    }
}
