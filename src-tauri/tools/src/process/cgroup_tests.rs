use super::*;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

const MOUNTS: &str = "\
    24 1 0:22 / /sys rw - sysfs sysfs rw\n\
    30 24 0:26 / FOLDER/unified rw,relatime shared:4 - cgroup2 cgroup2 rw\n\
    31 24 0:27 / FOLDER/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
    32 24 0:28 /box FOLDER/pids rw - cgroup cgroup rw,pids\n\
    33 24 0:29 / FOLDER/cpuset rw - cgroup cgroup rw,cpuset\n";

const LIMITS: ResourceLimits = ResourceLimits {
    memory_mb: 64,
    all_memory_mb: 96,
    processes: 50,
    all_processes: 70,
    processors: Some(2),
};

/// A folder like the one that version 2 is mounted at, with us in a scope that may hand these down.
fn fake(controllers: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let scope = folder.path().join("unified/user.slice/app.scope");
    std::fs::create_dir_all(&scope).unwrap();
    std::fs::write(scope.join("cgroup.controllers"), controllers).unwrap();
    let mounts = MOUNTS.replace("FOLDER", folder.path().to_str().unwrap());
    (folder, mounts)
}

/// The groups for all commands of a program with this mark.
fn all(ours: &[Group], mark: &str) -> &'static [Group] {
    Box::leak(made_for_all(ours, mark).into_boxed_slice())
}

#[test]
fn our_groups_are_found_in_both_versions() {
    use Controller::{Cpu, Memory, Pids};
    let (folder, mounts) = fake("cpuset memory hugetlb\n");
    let find = |groups: &str| {
        let found = Group::ours(groups, &mounts).into_iter();
        let shown = found.map(|one| {
            let own = one.folder.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned();
            (own, one.version, one.controllers)
        });
        shown.collect::<Vec<_>>()
    };
    let scope = "unified/user.slice/app.scope".to_owned();
    assert_eq!(
        find("7:cpuset:/\n5:cpu,cpuacct:/\n4:pids:/box/a\n0::/user.slice/app.scope\n"),
        [
            ("cpu".to_owned(), Version::One, vec![Cpu]),
            ("pids/a".to_owned(), Version::One, vec![Pids]),
            (scope.clone(), Version::Two, vec![Memory])
        ]
    );
    assert_eq!(find("4:pids:/elsewhere\n0::/x\n"), []);
    std::fs::write(folder.path().join(&scope).join("cgroup.controllers"), "cpu memory pids")
        .unwrap();
    assert_eq!(
        find("0::/user.slice/app.scope\n"),
        [(scope, Version::Two, vec![Memory, Pids, Cpu])]
    );
}

/// What is written where, in a folder that is no control group: it takes everything.
#[test]
fn version_2_gets_the_limits_of_a_command_and_of_all() {
    let (folder, mounts) = fake("cpu io memory pids");
    let group =
        Cgroup::below(all(&Group::ours("0::/user.slice/app.scope\n", &mounts), "mark"), LIMITS);
    let group = group.unwrap();
    let scope = folder.path().join("unified/user.slice/app.scope");
    let own = group.groups[0].folder.clone();
    assert_eq!(own.parent().unwrap(), scope.join("plancard-mark"));
    let read = |name: &str| {
        let file = name.strip_prefix("COMMAND/").map_or(scope.join(name), |name| own.join(name));
        std::fs::read_to_string(file).unwrap_or_default()
    };
    for (file, content) in [
        ("cgroup.subtree_control", "+memory +pids +cpu "),
        ("plancard-mark/cgroup.subtree_control", "+memory +pids +cpu "),
        ("plancard-mark/memory.max", "100663296"),
        ("plancard-mark/memory.swap.max", "0"),
        // One of them is ended, not all.
        ("plancard-mark/memory.oom.group", ""),
        ("plancard-mark/pids.max", "70"),
        ("plancard-mark/cpu.weight", "50"),
        ("plancard-mark/cpu.max", "max 100000"),
        ("COMMAND/memory.max", "67108864"),
        ("COMMAND/memory.swap.max", "0"),
        ("COMMAND/memory.oom.group", "1"),
        ("COMMAND/pids.max", "50"),
        ("COMMAND/cpu.max", "200000 100000"),
    ] {
        assert_eq!(read(file), content, "{file}");
    }
    assert_eq!(group.doors(), [own.join("cgroup.procs")]);
    let write = |name: &str, text: &str| {
        std::fs::write(own.join(name), text).unwrap();
    };
    assert_eq!(group.exceeded(), None);
    write("memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\noom_group_kill 1\n");
    assert_eq!(group.exceeded(), Some(Exceeded::AllMemory(96)));
    write("memory.events", "low 0\nhigh 0\nmax 12\noom 1\noom_kill 3\noom_group_kill 1\n");
    assert_eq!(group.exceeded(), Some(Exceeded::Memory(64)));
    write("memory.events", "low 0\nhigh 0\nmax 12\noom 0\noom_kill 0\n");
    write("pids.events.local", "max 2\n");
    write("pids.peak", "49\n");
    assert_eq!(group.exceeded(), Some(Exceeded::AllProcesses(70)));
    write("pids.peak", "50\n");
    assert_eq!(group.exceeded(), Some(Exceeded::Processes(50)));
    group.kill();
    assert_eq!(read("COMMAND/cgroup.kill"), "", "there is no such file in older kernels");
    write("cgroup.kill", "");
    group.kill();
    assert_eq!(read("COMMAND/cgroup.kill"), "1");
}

/// Where something else is in our group, it can't be divided, and we do not stay elsewhere.
#[test]
fn a_group_that_cannot_be_divided_is_left_alone() {
    let (folder, mounts) = fake("memory pids");
    let scope = folder.path().join("unified/user.slice/app.scope");
    std::fs::create_dir(scope.join("cgroup.subtree_control")).unwrap();
    let ours = Group::ours("0::/user.slice/app.scope\n", &mounts);
    assert_eq!(made_for_all(&ours, "mark"), []);
    assert!(!scope.join("plancard-mark").exists());
    let back = std::fs::read_to_string(scope.join("cgroup.procs"));
    assert_eq!(back.unwrap(), "0");
}

/// Real groups of this computer for commands, which a test can make. Only root always may.
fn real(test: &str) -> Option<(String, &'static [Group])> {
    let mark = format!("{test}.{}", std::process::id());
    let all = geteuid().is_root().then(|| all(&Group::of_this_program(), &mark))?;
    assert!(!all.is_empty(), "root can make groups");
    Some((mark, all))
}

/// Starts a program in a group, as `plancard-warden` does.
fn start(group: &Cgroup, program: &str, script: &str) -> Child {
    let doors =
        group.doors().into_iter().map(|door| format!("echo 0 >'{}' || exit 1\n", door.display()));
    let enter = format!("{}exec \"$@\"", doors.collect::<String>());
    let mut command = Command::new("sh");
    command.args(["-c", &enter, "sh", program, "-c", script]);
    command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

fn tasks(group: &Cgroup) -> u64 {
    number(&group.group(Controller::Pids).unwrap().folder.join("pids.current")).unwrap()
}

/// It rests where it is refused more, or nobody else would have a turn.
const BOMB: &str = "import os, time\nwhile True:\n  try: os.fork()\n  \
                    except OSError: time.sleep(0.1)\n";

#[tokio::test]
async fn a_command_is_told_apart_that_wanted_more_processes_than_it_may_have() {
    let Some((mark, all)) = real("crowded") else { return };
    let group = Cgroup::below(all, LIMITS).unwrap();
    let mut bomb = start(&group, "python3", BOMB);
    group.goes_over().await;
    assert_eq!(group.exceeded(), Some(Exceeded::Processes(50)));
    let folders: Vec<_> = group.groups.iter().map(|one| one.folder.clone()).collect();
    drop(group);
    end_of(|found| found == mark);
    assert_eq!(bomb.wait().unwrap().signal(), Some(9));
    assert!(!folders.iter().any(|folder| folder.exists()));
}

#[test]
fn memory_is_limited_for_one_and_for_all() {
    let Some((mark, all)) = real("memory") else { return };
    let fill = |mb: u32| format!("import time\nx = b'x' * ({mb} << 20)\ntime.sleep(1000)\n");
    let large = Cgroup::below(all, LIMITS).unwrap();
    assert_eq!(start(&large, "python3", &fill(80)).wait().unwrap().signal(), Some(9));
    assert_eq!(large.exceeded(), Some(Exceeded::Memory(64)));
    // Each has enough, and both together have not.
    let two = [(); 2].map(|()| Cgroup::below(all, LIMITS).unwrap());
    let mut children: Vec<Child> =
        two.iter().map(|group| start(group, "python3", &fill(54))).collect();
    while two.iter().all(|group| group.exceeded().is_none()) {
        std::thread::yield_now();
    }
    let ended: Vec<_> = two.iter().filter_map(|group| group.exceeded()).collect();
    assert_eq!(ended, [Exceeded::AllMemory(96)]);
    drop((large, two));
    end_of(|found| found == mark);
    children.iter_mut().for_each(|child| assert!(!child.wait().unwrap().success()));
}

#[test]
fn all_together_have_a_limit_of_processes_which_can_change() {
    let Some((mark, all)) = real("together") else { return };
    let few = ResourceLimits { all_processes: 3, ..LIMITS };
    let mut started = Vec::new();
    for refused in [false, true] {
        let group = Cgroup::below(all, few).unwrap();
        let mut child = start(&group, "sh", "sleep 1000 & sleep 1000 & wait");
        match refused {
            true => assert!(!child.wait().unwrap().success()),
            false => {
                while tasks(&group) != 3 {
                    std::thread::yield_now();
                }
            }
        }
        assert_eq!(group.exceeded(), refused.then_some(Exceeded::AllProcesses(3)));
        started.push((group, child));
    }
    let group = Cgroup::below(all, LIMITS).unwrap();
    let above = group.group(Controller::Pids).unwrap().folder.parent().unwrap();
    assert_eq!(number(&above.join("pids.max")), Some(70));
    let children = started.into_iter().map(|(_, child)| child).collect::<Vec<_>>();
    drop(group);
    end_of(|found| found == mark);
    for mut child in children {
        child.wait().unwrap();
    }
}

/// What a start of the program does, also beside another one that runs.
#[test]
fn groups_of_the_dead_are_ended_and_no_others() {
    if !geteuid().is_root() {
        return;
    }
    let alive = leftovers::mark().unwrap();
    let dead = alive.rsplit_once('.').unwrap().0.to_owned() + ".1";
    let ours = Cgroup::new(LIMITS).unwrap().unwrap();
    let mut our_child = start(&ours, "sh", "sleep 1000");
    let all = all(&Group::of_this_program(), &dead);
    let theirs = Cgroup::below(all, LIMITS).unwrap();
    let mut their_child = start(&theirs, "sh", "sleep 1000");
    leftovers::end_of_the_dead();
    assert!(!their_child.wait().unwrap().success());
    let mut left = theirs.groups.iter().chain(all);
    assert!(!left.any(|group| group.folder.exists()));
    assert_eq!(our_child.try_wait().unwrap(), None);
    our_child.kill().unwrap();
    our_child.wait().unwrap();
}

/// Nothing in it has a mark but the group.
#[test]
fn what_a_dead_program_left_in_its_groups_is_ended_while_it_grows() {
    let Some((mark, all)) = real("growing") else { return };
    let bombs: Vec<_> = (0..2)
        .map(|_| {
            let group = Cgroup::below(all, LIMITS).unwrap();
            let child = start(&group, "python3", BOMB);
            (group, child)
        })
        .collect();
    while bombs.iter().map(|(group, _)| tasks(group)).sum::<u64>() < 65 {
        std::thread::yield_now();
    }
    end_of(|found| found == mark);
    for group in all {
        assert!(!group.folder.exists(), "{group:?}: no group is left, and so no process");
    }
    for (_, mut child) in bombs {
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }
}
