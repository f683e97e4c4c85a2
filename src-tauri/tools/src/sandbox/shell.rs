//! The shell that runs a command, and what it does before anything else.

use crate::limits::ResourceLimits;
use rustix::fs::Stat;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

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

    /// Ends everything when this is not the folder of that number, or when something else was
    /// mounted than what was meant. What was meant comes as arguments, which are taken away.
    pub(super) fn first(&self, inode: u64) -> String {
        let stands = match self.sees {
            true => format!(
                "exec {{here}}<. && mapfile -t -n 4 seen <\"/proc/self/fdinfo/$here\" && \
                 exec {{here}}<&- && [ \"${{seen[3]}}\" = $'ino:\\t{inode}' ]"
            ),
            false => format!("[ \"$(stat -c %i .)\" = {inode} ]"),
        };
        // Holds for everybody but root, where no control group does it.
        let processes = ResourceLimits::current().processes;
        let meant = if self.sees { SEES_MEANT } else { ASKS_MEANT };
        format!(
            "{{ {stands}; }} && {{ {meant}; }} && unset here seen disk mounts || {{ echo 'nothing \
             was run: the workspace, or something in it that is protected, was replaced while the \
             command was starting'; exit 126; }}; ulimit -u {processes} 2>/dev/null"
        )
    }
}

/// Something that has to be mounted in the sandbox.
#[derive(Debug, Clone)]
pub(super) struct Meant {
    pub(super) place: PathBuf,
    pub(super) inode: u64,
    /// The disk that it is on, where that is not the one of the workspace. Inodes mean something on
    /// one disk only.
    pub(super) disk: Option<u64>,
}

impl Meant {
    /// What was found at a place, for a workspace.
    pub(super) fn of(place: &Path, found: &Stat, workspace: &Stat) -> Self {
        let disk = (found.st_dev != workspace.st_dev).then_some(found.st_dev);
        Self { place: place.to_owned(), inode: found.st_ino, disk }
    }

    /// As arguments of the shell.
    pub(super) fn words(&self) -> [OsString; 3] {
        let disk = self.disk.map_or("same".to_owned(), |disk| disk.to_string());
        [self.inode.to_string().into(), disk.into(), self.place.clone().into()]
    }
}

/// Goes through the arguments without starting a program, but for what can't be opened or is on
/// another disk than the workspace. The disk
/// of a mount stands in the list of all mounts, after its number and that of the one above. It is
/// one line, so that the shell counts the lines of a command as they are.
const SEES_MEANT: &str = concat!(
    r#"[ $# = 0 ] || { mapfile -t mounts </proc/self/mountinfo; disks=(); "#,
    r#"for line in "${mounts[@]}"; do here=${line%% *}; line=${line#* * }; disks[here]=${line%% *}; done; "#,
    r#"disk=${disks[${seen[2]#*$'\t'}]}; while [ -n "$disk" ] && [ $# != 0 ]; do "#,
    r#"if [ -r "$3" ] && { [ -d "$3" ] || [ -f "$3" ]; }; then "#,
    r#"exec {here}<"$3" && mapfile -t -n 4 seen <"/proc/self/fdinfo/$here" && exec {here}<&- && "#,
    r#"[ "${seen[3]}" = $'ino:\t'"$1" ] && { [ "$2" = same ] && "#,
    r#"[ "${disks[${seen[2]#*$'\t'}]}" = "$disk" ] || "#,
    r#"[ "$(stat -c %d -- "$3")" = "$2" ]; } || break; "#,
    r#"else [ "$(stat -c %i -- "$3")" = "$1" ] || break; fi; shift 3; done; unset disks line; [ $# = 0 ]; }"#,
);

/// The same for any shell.
const ASKS_MEANT: &str = concat!(
    r#"while [ $# != 0 ]; do [ "$(stat -c %i -- "$3")" = "$1" ] || break; "#,
    r#"disk=$2; [ "$2" != same ] || disk=$(stat -c %d .); "#,
    r#"[ "$(stat -c %d -- "$3")" = "$disk" ] || break; "#,
    r#"shift 3; done; [ $# = 0 ]"#,
);

/// Whether the kernel tells the inode of an open file (Linux 5.14).
fn tells_inodes() -> bool {
    std::fs::read_to_string("/proc/self/fdinfo/0")
        .is_ok_and(|info| info.lines().nth(3).is_some_and(|line| line.starts_with("ino:\t")))
}

#[cfg(test)]
mod tests {
    use super::{Meant, Shell};
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;
    use std::process::Command;

    /// Both ways to look run a command in the folder that was meant and in no other, and only when
    /// everything in it is what was meant.
    #[test]
    fn nothing_runs_in_another_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("a b")).unwrap();
        std::fs::write(at("file"), "").unwrap();
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let inode = |path: &Path| path.metadata().unwrap().ino();
        let here = inode(folder.path());
        let meant = |name: &str, more: u64, disk: Option<u64>| {
            let place = if name.starts_with('/') { name.into() } else { at(name) };
            Meant { inode: inode(&place) + more, place, disk }
        };
        let disk = |path: &Path| path.metadata().unwrap().dev();
        let (own, others) = (disk(folder.path()), disk(Path::new("/proc")));
        let all = || ["a b", "file", "pipe"].map(|name| meant(name, 0, None)).to_vec();
        let one = |name: &str| [all(), vec![meant(name, 1, None)]].concat();
        let found = Shell::of_this_computer();
        for shell in [Shell { sees: false, ..found }, Shell { sees: true, program: "/bin/bash" }] {
            for (folder_meant, meant, code) in [
                (here, Vec::new(), 7),
                (here + 1, Vec::new(), 126),
                (here, all(), 7),
                (here + 1, all(), 126),
                (here, one("a b"), 126),
                (here, one("file"), 126),
                (here, one("pipe"), 126),
                (here, vec![meant("/proc", 0, None)], 126),
                (here, vec![meant("/proc", 0, Some(others))], 7),
                (here, vec![meant("/proc", 0, Some(others + 1))], 126),
                (here, vec![meant("/proc", 1, Some(others))], 126),
                (here, vec![meant("a b", 0, Some(others))], 126),
                (here, vec![meant("a b", 0, Some(own))], 7),
            ] {
                let script = format!("{}\nexit $((7 + $#))", shell.first(folder_meant));
                let ended = Command::new(shell.program)
                    .args(["-c", &script, shell.program])
                    .args(meant.iter().flat_map(Meant::words))
                    .current_dir(folder.path())
                    .output()
                    .unwrap();
                assert_eq!(ended.status.code(), Some(code), "{meant:?} {script}: {ended:?}");
            }
        }
    }
}
