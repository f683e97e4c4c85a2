//! System calls that the filter refuses, made by hand.

use crate::support::desk;

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
