//! The processes of a group, as the kernel lists them.

/// One process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub id: u32,
    /// Its short name.
    pub name: String,
}

impl Process {
    /// What the kernel limits it to, as it says it.
    pub fn limits(&self) -> String {
        std::fs::read_to_string(format!("/proc/{}/limits", self.id)).expect("it runs")
    }
}

/// Every living process of a group.
pub fn processes(group: u32) -> Vec<Process> {
    let listed = std::fs::read_dir("/proc").expect("the kernel lists processes").flatten();
    let ids = listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(|id| in_group(id, group)).collect()
}

fn in_group(id: u32, group: u32) -> Option<Process> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // `id (name) state parent group …`, and the name may hold anything.
    let (before, after) = stat.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_owned();
    let mut fields = after.split_whitespace();
    let state = fields.next()?;
    let its_group: u32 = fields.nth(1)?.parse().ok()?;
    (its_group == group && (state != "Z" || has_threads(id))).then_some(Process { id, name })
}

/// Whether threads of it have yet to end: until then its files are open, and locked.
fn has_threads(id: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{id}/task"));
    threads.is_ok_and(|threads| threads.count() > 1)
}
