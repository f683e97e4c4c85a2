//! The programs a desktop is made of: each leads a group of its own and is ended with all of it.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Programs under way, ended in reverse order.
#[derive(Default)]
pub struct Children(Vec<Child>);

impl Children {
    /// Starts a program whose output goes to a file; the id of its group.
    pub fn start(&mut self, command: &mut Command, log: &Path) -> u32 {
        use std::os::unix::process::CommandExt;
        let file = File::create(log).expect("a log can be made");
        let same = file.try_clone().expect("a file can be opened twice");
        let child = command
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(same)
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{:?} can't be started: {error}", command.get_program())
            });
        let group = child.id();
        self.0.push(child);
        group
    }

    /// Takes over a program that was started as the leader of a group.
    pub fn adopt(&mut self, child: Child) {
        self.0.push(child);
    }

    /// Ends one group at once.
    pub fn end(&mut self, group: u32) {
        if let Some(at) = self.0.iter().position(|child| child.id() == group) {
            end(&mut self.0.remove(at));
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        while let Some(mut child) = self.0.pop() {
            end(&mut child);
        }
    }
}

fn end(child: &mut Child) {
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.wait();
}
