//! System calls that the filter refuses, made by hand.

use crate::support::desk;
use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

/// Makes a call and says how it went.
fn by_hand(number: i64, args: &[i64]) -> String {
    let args: Vec<String> = args.iter().map(i64::to_string).collect();
    let comma = if args.is_empty() { "" } else { ", " };
    format!(
        "perl -MErrno -e '$r = syscall({number}{comma}{}); print $r >= 0 ? \"done\" : $!{{EPERM}} ? \
         \"refused\" : $!{{ENOSYS}} ? \"unknown\" : \"failed: $!\"'",
        args.join(", ")
    )
}

#[tokio::test]
async fn what_would_go_round_the_walls_is_refused() {
    let desk = desk();
    let own_namespace = i64::from(libc::CLONE_NEWUSER);
    let rows: &[(&str, i64, &[i64])] = &[
        ("key rings", libc::SYS_keyctl, &[0, -3, 0]),
        ("a key", libc::SYS_request_key, &[0, 0, 0, 0]),
        ("tracing", libc::SYS_ptrace, &[0, 0, 0, 0]),
        ("other memory", libc::SYS_process_vm_readv, &[1, 0, 0, 0, 0, 0]),
        ("bpf", libc::SYS_bpf, &[0, 0, 0]),
        ("io_uring", libc::SYS_io_uring_setup, &[1, 0]),
        ("page faults", libc::SYS_userfaultfd, &[0]),
        ("measuring", libc::SYS_perf_event_open, &[0, 0, 0, 0, 0]),
        ("a mount", libc::SYS_mount, &[0, 0, 0, 0, 0]),
        ("a detached mount", libc::SYS_open_tree, &[-100, 0, 1]),
        ("a file system", libc::SYS_fsopen, &[0, 0]),
        ("another namespace", libc::SYS_setns, &[0, 0]),
        ("its own namespace", libc::SYS_unshare, &[own_namespace]),
        ("a namespace for a child", libc::SYS_clone, &[own_namespace | 17, 0, 0, 0, 0]),
        ("a file by handle", libc::SYS_open_by_handle_at, &[0, 0, 0]),
        ("the log of the kernel", libc::SYS_syslog, &[3, 0, 0]),
        ("a module", libc::SYS_finit_module, &[0, 0, 0]),
        ("the host of a virtual machine", libc::SYS_socket, &[40, 1, 0]),
        ("packets", libc::SYS_socket, &[17, 3, 0]),
        ("the kernel's ciphers", libc::SYS_socket, &[38, 5, 0]),
        ("bluetooth", libc::SYS_socket, &[31, 3, 0]),
        ("the kernel's audit channel", libc::SYS_socket, &[16, 3, 9]),
        ("typing into the terminal", libc::SYS_ioctl, &[0, 0x5412, 0]),
    ];
    for (what, number, args) in rows {
        let output = desk.shell(&by_hand(*number, args)).await;
        assert_eq!(output.text, "refused", "{what}");
    }
}

#[tokio::test]
async fn what_cannot_be_judged_does_not_exist() {
    let desk = desk();
    let cloned = desk.shell(&by_hand(libc::SYS_clone3, &[0, 0])).await;
    assert_eq!(cloned.text, "unknown");
    let opened = desk.shell(&by_hand(libc::SYS_openat2, &[-100, 0, 0, 24])).await;
    assert_eq!(opened.text, "unknown");
    #[cfg(target_arch = "x86_64")]
    {
        let other_numbers = desk.shell(&by_hand(0x4000_0000 + 39, &[])).await;
        assert_eq!(other_numbers.text, "unknown");
    }
}

#[tokio::test]
async fn ordinary_calls_work() {
    let desk = desk();
    for (what, number, args) in [
        ("a local socket", libc::SYS_socket, &[1_i64, 1, 0][..]),
        ("a network socket", libc::SYS_socket, &[2, 1, 0]),
        ("the list of addresses", libc::SYS_socket, &[16, 3, 0]),
        ("its own number", libc::SYS_getpid, &[]),
    ] {
        assert_eq!(desk.shell(&by_hand(number, args)).await.text, "done", "{what}");
    }
}

/// A file that runs as who owns it would be left for everybody on the computer.
#[tokio::test]
async fn no_file_is_left_that_runs_as_who_owns_it() {
    let own = libc::S_ISUID | 0o755;
    let tried = format!(
        "cp /bin/true t; chmod u+s t; chmod 4755 t; chmod 6755 t; install -m 4755 /bin/true i; \
         python3 -c \"import os; os.fchmod(os.open('t', os.O_RDONLY), {own})\"; \
         python3 -c \"import os; os.open('o', os.O_CREAT | os.O_WRONLY, {own})\"; \
         python3 -c \"import os; os.open('g', os.O_CREAT | os.O_WRONLY, 0o2755)\"; \
         python3 -c \"import os; os.mknod('m', 0o104755)\"; \
         python3 -c \"import os; f = os.open('.', os.O_TMPFILE | os.O_RDWR, {own}); \
                     os.link(f'/proc/self/fd/{{f}}', 'l', follow_symlinks=True)\"; \
         perl -e 'syscall(452, -100, \"t\", {own}, 0)'; \
         find . -type f -perm /6000 -printf 'left: %p\\n'"
    );
    let desk = desk();
    let output = desk.shell(&tried).await;
    // Seen by the command itself, before anybody could take it away.
    assert!(!output.text.contains("left:"), "{}", output.text);
    assert!(output.text.contains("not permitted"), "{}", output.text);
    // What people do is fine.
    let usual = "chmod 755 t && chmod a+x t && mkdir d && chmod 2775 d && cp -a d e && \
                 touch d/new && chmod 1777 d && install -m 700 t u && mkfifo p";
    let output = desk.shell(usual).await;
    assert!(!output.failed, "{}", output.text);
}

#[tokio::test]
async fn a_file_that_runs_as_its_group_is_told_and_is_one_no_more() {
    let desk = desk();
    desk.put("before", "");
    std::fs::set_permissions(desk.path("before"), Permissions::from_mode(0o2755)).unwrap();
    let made = "cp /bin/true t; chmod 2755 t; mkdir d; chmod 2775 d; echo x >> before";
    let output = desk.shell(made).await;
    assert!(
        output.text.contains("ran as its group") && output.text.contains(": t)"),
        "{}",
        output.text
    );
    let mode = |name: &str| desk.path(name).metadata().unwrap().mode() & 0o7777;
    assert_eq!(mode("t"), 0o755);
    assert_eq!(mode("d"), 0o2775, "a folder is another matter");
}
