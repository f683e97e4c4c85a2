//! The shell that runs a command, and what it does before anything else.

use crate::process::THREADS;
use std::path::Path;

#[derive(Debug)]
pub(super) struct Shell {
    pub(super) program: &'static str,
    /// Whether it can see by itself which folder it stands in. Starting a program for that takes
    /// longer than all the rest.
    sees: bool,
}

impl Shell {
    pub(super) fn of_this_computer() -> Self {
        match Path::new("/bin/bash").exists() {
            true => Self { program: "/bin/bash", sees: tells_inodes() },
            false => Self { program: "/bin/sh", sees: false },
        }
    }

    /// Ends everything when this is not the folder of that number.
    pub(super) fn first(&self, inode: u64) -> String {
        let stands = match self.sees {
            true => format!(
                "exec {{here}}<. && mapfile -t -n 4 seen <\"/proc/self/fdinfo/$here\" && \
                 exec {{here}}<&- && [ \"${{seen[3]}}\" = $'ino:\\t{inode}' ] && unset here seen"
            ),
            false => format!("[ \"$(stat -c %i .)\" = {inode} ]"),
        };
        format!(
            "{{ {stands}; }} || {{ echo 'nothing was run: the workspace was replaced by another \
             folder'; exit 126; }}; ulimit -u {THREADS} 2>/dev/null"
        )
    }
}

/// Whether the kernel tells the inode of an open file (Linux 5.14).
fn tells_inodes() -> bool {
    std::fs::read_to_string("/proc/self/fdinfo/0")
        .is_ok_and(|info| info.lines().nth(3).is_some_and(|line| line.starts_with("ino:\t")))
}

#[cfg(test)]
mod tests {
    use super::Shell;
    use std::os::unix::fs::MetadataExt;
    use std::process::Command;

    /// Both ways to look run a command in the folder that was meant and in no other.
    #[test]
    fn nothing_runs_in_another_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inode = folder.path().metadata().unwrap().ino();
        let found = Shell::of_this_computer();
        for shell in [Shell { sees: false, ..found }, Shell { sees: true, program: "/bin/bash" }] {
            for (meant, code) in [(inode, 0), (inode + 1, 126)] {
                let script = format!("{}\nexit 0", shell.first(meant));
                let ended = Command::new(shell.program)
                    .args(["-c", &script])
                    .current_dir(folder.path())
                    .output()
                    .unwrap();
                assert_eq!(ended.status.code(), Some(code), "{script}: {ended:?}");
            }
        }
    }
}
