//! Commands that make more processes than anybody needs, also while the computer has other work.

use crate::support::{Desk, User, alone, desk, is_alone, runs, until};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use tools::{ResourceLimits, leftovers};

/// Small, so that no bomb endangers the computer.
fn limits() -> ResourceLimits {
    ResourceLimits { processes: 50, all_processes: 120, ..ResourceLimits::default() }
}

/// The control groups of commands of the program with this mark, and the one for all of them.
pub fn groups_of(mark: &str) -> Vec<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap();
    let below: Vec<&str> = own.lines().filter_map(|line| line.splitn(3, ':').nth(2)).collect();
    let mounted = mounts.lines().filter(|line| line.contains(" - cgroup"));
    let mounted = mounted.filter_map(|line| line.split(' ').nth(4));
    let folders = mounted.flat_map(|place| {
        below.iter().map(move |path| Path::new(place).join(path.trim_start_matches('/')))
    });
    let entries = folders.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
    let name = format!("plancard-{mark}");
    let fits = |path: &PathBuf| path.file_name().is_some_and(|found| found == &*name);
    let all = entries.flatten().map(|entry| entry.path()).filter(fits);
    let mut found: Vec<PathBuf> = all
        .flat_map(|all| {
            let within = std::fs::read_dir(&all).into_iter().flatten().flatten();
            let within = within.map(|entry| entry.path()).filter(|path| path.is_dir());
            within.chain([all.clone()]).collect::<Vec<_>>()
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Keeps the processors busy.
struct Load(Vec<Child>);

impl Load {
    fn begin() -> Self {
        let many = std::thread::available_parallelism().unwrap().get() * 4;
        let busy = || {
            let mut spin = Command::new("sh");
            spin.args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().unwrap()
        };
        Self((0..many).map(|_| busy()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

/// Looks at the group of a command, by a word in it, until it is told to stop: the most tasks that
/// it had at once, as the kernel counts them.
struct Peak {
    stop: Arc<AtomicBool>,
    looking: JoinHandle<u64>,
}

impl Peak {
    fn begin(marker: &'static str) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mark = leftovers::mark().unwrap();
        let looking = std::thread::spawn({
            let stop = Arc::clone(&stop);
            move || {
                // First in the queue, or nothing would be seen.
                let _ = rustix::process::setpriority_process(None, -20);
                let mut most = 0;
                while !stop.load(Ordering::Relaxed) {
                    let groups = groups_of(mark).into_iter();
                    for group in groups.filter(|group| is_of(group, marker)) {
                        let read = |name: &str| std::fs::read_to_string(group.join(name)).ok();
                        let count = read("pids.peak").or_else(|| read("pids.current"));
                        let count = count.and_then(|text| text.trim().parse().ok());
                        most = most.max(count.unwrap_or(0));
                    }
                }
                most
            }
        });
        Self { stop, looking }
    }

    fn end(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.looking.join().unwrap()
    }
}

/// Whether a group is that of a command with this word. The sandbox itself is in it, with all of
/// its words.
fn is_of(group: &Path, marker: &str) -> bool {
    let tasks = std::fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    let line =
        tasks.lines().next().and_then(|task| std::fs::read(format!("/proc/{task}/cmdline")).ok());
    line.is_some_and(|line| String::from_utf8_lossy(&line).contains(marker))
}

/// By the shell, which tries again when it is refused a process, and by a program that ends.
fn bombs(desk: &Desk, marker: &str) -> [String; 2] {
    let program =
        "import os, time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(0.1)\n";
    desk.put("bomb.py", program);
    [
        format!("{marker}() {{ {marker} | {marker} & }}; {marker}; sleep 1000"),
        format!("python3 bomb.py {marker}"),
    ]
}

/// Where no group can be made, which root always can here, they are refused more and go on.
fn has_groups() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn a_fork_bomb_never_has_more_processes_than_it_may_and_leaves_nothing() {
    alone("crowds::fork_bombs", User::Same);
    alone("crowds::fork_bombs", User::Ordinary);
}

#[tokio::test(flavor = "multi_thread")]
async fn fork_bombs() {
    if !is_alone(limits()) {
        return;
    }
    for busy in [false, true] {
        let _load = busy.then(Load::begin);
        let desk = desk();
        for bomb in bombs(&desk, "walled_bomb_marker") {
            let peak = Peak::begin("walled_bomb_marker");
            let seconds = if has_groups() { 60 } else { 2 };
            let command = json!({ "command": bomb, "timeout_seconds": seconds });
            let error = desk.run("shell", command).await.unwrap_err();
            let peak = peak.end();
            println!("busy: {busy}; at most {peak} at once: {bomb}");
            assert!(!runs("walled_bomb_marker"), "{bomb}");
            if has_groups() {
                assert_eq!(error.code(), "TOO_MANY_PROCESSES", "{bomb}");
                assert!(error.to_string().contains("more than 50 processes"), "{error}");
                assert!((1..=limits().processes).contains(&peak), "{bomb}: {peak}");
            } else {
                assert_eq!(error.code(), "TIMED_OUT", "{bomb}");
            }
        }
    }
    let mark = leftovers::mark().unwrap();
    // Other tests of this program have groups as well, each for as long as its command runs.
    let mut last = groups_of(mark);
    // The one for all is there as long as the program.
    last.retain(|group| {
        group.parent().is_some_and(|above| groups_of(mark).contains(&above.into()))
    });
    until("no group is left", || !groups_of(mark).iter().any(|group| last.contains(group))).await;
}

#[test]
fn a_fork_bomb_in_the_background_says_why_it_ended() {
    alone("crowds::a_fork_bomb_in_the_background", User::Same);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_bomb_in_the_background() {
    if !is_alone(limits()) || !has_groups() {
        return;
    }
    let desk = desk();
    let [bomb, _] = bombs(&desk, "bomb_job_marker");
    desk.run("shell", json!({ "command": bomb, "background": true })).await.unwrap();
    let ended = desk.run("job_output", json!({ "job": 1, "wait_seconds": 50 })).await.unwrap();
    assert!(ended.text.contains("it had more than 50 processes and threads"), "{}", ended.text);
    assert!(!runs("bomb_job_marker"));
}

/// Runtimes and build tools have many.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_may_have_many_threads() {
    let desk = desk();
    let script = "import threading\n\
                  threading.stack_size(65536)\n\
                  over, count = threading.Event(), 0\n\
                  while count < 1500:\n  \
                    try: threading.Thread(target=over.wait, daemon=True).start()\n  \
                    except RuntimeError: continue\n  \
                    count += 1\n\
                  print('all there')\n\
                  over.set()\n";
    desk.put("threads.py", script);
    let output = desk.shell("python3 threads.py").await;
    assert!(output.text.starts_with("all there"), "{}", output.text);
}

#[test]
fn what_is_refused_because_of_all_others_is_told_so() {
    alone("crowds::a_program_whose_commands_have_little_room", User::Same);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_whose_commands_have_little_room() {
    if !is_alone(limits()) || !has_groups() {
        return;
    }
    let desk = desk();
    desk.shell("true").await;
    let name = format!("plancard-{}", leftovers::mark().unwrap());
    let all = groups_of(leftovers::mark().unwrap());
    let counts = |group: &&PathBuf| group.ends_with(&name) && group.join("pids.max").exists();
    let all = all.iter().find(counts).unwrap();
    assert_eq!(std::fs::read_to_string(all.join("pids.max")).unwrap().trim(), "120");
    let allow = |tasks| ResourceLimits { all_processes: tasks, ..limits() }.apply();
    // There is no room for the sandbox, nor for its second half.
    for (job, tasks) in (1..).zip([0, 1, 2]) {
        allow(tasks);
        let error = desk.run("shell", json!({ "command": "touch made" })).await.unwrap_err();
        assert_eq!(error.code(), "TOO_MANY_PROCESSES", "{tasks}: {error}");
        let words = format!(
            "all commands, jobs and servers together may have {tasks} (`limits.all_processes`)"
        );
        assert!(error.to_string().contains(&words), "{tasks}: {error}");
        desk.run("shell", json!({ "command": "touch made", "background": true })).await.unwrap();
        let job = json!({ "job": job, "wait_seconds": 50 });
        let job = desk.run("job_output", job).await.unwrap();
        assert!(job.text.contains("all commands, jobs and servers together"), "{}", job.text);
        assert!(!desk.path("made").exists());
    }
    // There is for the command, and not for what it starts.
    allow(20);
    let program = "import os, time\ntry:\n  while os.fork(): pass\n  time.sleep(100)\n\
                   except OSError: print('refused')\n";
    desk.put("start.py", program);
    let output = desk.shell("python3 start.py; true").await;
    assert!(output.text.starts_with("refused"), "{}", output.text);
    let words = "all commands, jobs and servers together had as many as they may, 20";
    assert!(output.text.contains(words), "{}", output.text);
    allow(120);
    assert_eq!(desk.shell("echo room").await.text, "room\n");
}
