//! A process with everything it started, as the kernel sees them.

use std::time::Duration;

use crate::Outcome;

/// A process and its children's children.
pub struct Tree(Vec<u32>);

impl Tree {
    /// Those that live now below this one, itself included.
    pub fn of(root: u32) -> Self {
        let parents: Vec<(u32, u32)> =
            all().into_iter().filter_map(|pid| Some((pid, parent(pid)?))).collect();
        let mut found = vec![root];
        let mut next = 0;
        while let Some(&pid) = found.get(next) {
            found.extend(parents.iter().filter(|(_, parent)| *parent == pid).map(|(own, _)| *own));
            next += 1;
        }
        Self(found)
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Megabytes of all of them together; what they share counts once, and what they share with
    /// others only in part. So another browser on the machine makes the number smaller.
    pub fn memory(&self) -> Outcome<f64> {
        let mut sum = 0.0;
        for pid in &self.0 {
            let file = format!("/proc/{pid}/smaps_rollup");
            let text =
                std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
            let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
            let kilobytes =
                line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
            let kilobytes: f64 = kilobytes.ok_or_else(|| format!("{file} says nothing"))?;
            sum += kilobytes / 1_024.0;
        }
        Ok(sum)
    }

    /// How many ticks of the kernel's clock each of them, by name, worked during this time.
    pub async fn work(&self, time: Duration) -> Vec<(String, u64)> {
        let before: Vec<u64> = self.0.iter().map(|pid| ticks(*pid)).collect();
        tokio::time::sleep(time).await;
        let worked = |(pid, before): (&u32, u64)| (name(*pid), ticks(*pid).saturating_sub(before));
        self.0.iter().zip(before).map(worked).collect()
    }

    /// Whether one of them still lives.
    pub fn is_alive(&self) -> bool {
        self.0.iter().any(|pid| stat(*pid).is_some_and(|fields| fields[0] != "Z"))
    }
}

fn all() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// What stands after the name, which may hold anything but ends in a bracket.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields = text.rsplit(')').next()?.split_whitespace();
    Some(fields.map(str::to_owned).collect())
}

fn parent(pid: u32) -> Option<u32> {
    stat(pid)?.get(1)?.parse().ok()
}

/// User and system time.
fn ticks(pid: u32) -> u64 {
    let fields = stat(pid).unwrap_or_default();
    fields.iter().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
}

fn name(pid: u32) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned()
}
