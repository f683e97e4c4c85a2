//! Which system calls a command may make: all but those it has no business with.
//!
//! Namespaces decide what a command sees; this decides what it may ask of the
//! kernel. Refused are new namespaces and mounts, the kernel's key rings, other
//! processes' memory, kernel modules, tracing and the like, sockets that no
//! network namespace confines, ways to have the kernel act unseen
//! (io_uring), and files that run as who owns them: such a one would be left
//! for everybody on the computer. A refused call fails with "not permitted", as it would for
//! lack of a right, so programs go on.

use super::ingredients::file_of;
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;

/// Refused whatever their arguments are.
const REFUSED: &[c_long] = &[
    // The kernel's key rings belong to the person's session.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    // Other namespaces and mounts.
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // What acts in the kernel without being seen here, or on the whole machine.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
];

/// Flags of `clone` and `unshare` that make a new namespace.
const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Kinds of sockets that a network namespace confines. Others, such as those
/// to the host of a virtual machine, would leave it.
const FAMILIES: &[i32] = &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Terminal requests that type for somebody else.
const TYPING: &[u64] = &[0x5412 /* TIOCSTI */, 0x541C /* TIOCLINUX */];

/// Calls that set the mode of something that is there, and which argument that is. Of a folder the
/// bit for the group only says whom new files belong to, so it passes here (see `shell::bits`).
const CHANGING_MODE: &[(c_long, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
];
/// The same number on every machine.
const FCHMODAT2: c_long = 452;

/// Calls that make a file, with the arguments that are its mode and, where there are some, flags
/// without which there is no mode.
const MAKING_FILES: &[(c_long, u8, Option<u8>)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 2, Some(1)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1, None),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1, None),
    (libc::SYS_openat, 3, Some(2)),
    (libc::SYS_mknodat, 2, None),
];

/// The filter as the kernel wants it, made once.
#[derive(Debug, Clone)]
pub(super) struct Filter(Vec<u8>);

impl Filter {
    /// Makes the filter for this computer.
    pub(super) fn new() -> Result<Self, String> {
        let program = program().map_err(|err| format!("the filter for system calls: {err}"))?;
        let mut bytes = Vec::with_capacity((program.len() + FIRST.len()) * 8);
        let rest = program.iter().map(|step| (step.code, step.jt, step.jf, step.k));
        for (code, yes, no, value) in FIRST.iter().copied().chain(rest) {
            bytes.extend_from_slice(&code.to_ne_bytes());
            bytes.extend_from_slice(&[yes, no]);
            bytes.extend_from_slice(&value.to_ne_bytes());
        }
        Ok(Self(bytes))
    }

    /// A descriptor from which the filter can be read once.
    pub(super) fn pipe(&self) -> std::io::Result<OwnedFd> {
        file_of(&self.0)
    }
}

/// `clone3` and `openat2` hide what they are told in memory, where no filter can
/// look, and numbers from 2^30 on are another set of the same calls. They all "do
/// not exist", so that programs fall back to what can be judged.
const FIRST: &[(u16, u8, u8, u32)] = &[
    (LOAD, 0, 0, 0),
    (IF_EQUAL, 2, 0, libc::SYS_clone3 as u32),
    (IF_EQUAL, 1, 0, libc::SYS_openat2 as u32),
    (IF_AT_LEAST, 0, 1, 0x4000_0000),
    (ANSWER, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
];
const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const IF_AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const ANSWER: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

fn program() -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in REFUSED {
        rules.insert(*call, Vec::new());
    }
    let new_namespace = || {
        let flag = |flag: &i32| {
            let flag = u64::from(flag.cast_unsigned());
            SeccompRule::new(vec![when(0, SeccompCmpOp::MaskedEq(flag), flag)?])
        };
        NAMESPACES.iter().map(flag).collect::<Result<Vec<_>, _>>()
    };
    rules.insert(libc::SYS_clone, new_namespace()?);
    rules.insert(libc::SYS_unshare, new_namespace()?);
    let family = |family: &i32| when(0, SeccompCmpOp::Ne, u64::from(family.cast_unsigned()));
    let unknown_family = FAMILIES.iter().map(family).collect::<Result<Vec<_>, _>>()?;
    let netlink = u64::from(libc::AF_NETLINK.cast_unsigned());
    // Of the kernel's own channels only the one that lists addresses.
    let other_channel = vec![when(0, SeccompCmpOp::Eq, netlink)?, when(2, SeccompCmpOp::Ne, 0)?];
    rules.insert(
        libc::SYS_socket,
        vec![SeccompRule::new(unknown_family)?, SeccompRule::new(other_channel)?],
    );
    let typing =
        TYPING.iter().map(|request| SeccompRule::new(vec![when(1, SeccompCmpOp::Eq, *request)?]));
    rules.insert(libc::SYS_ioctl, typing.collect::<Result<Vec<_>, _>>()?);
    let bit = |argument: u8, bit: u32| when(argument, masked(bit), bit.into());
    for (call, mode) in CHANGING_MODE {
        rules.insert(*call, vec![SeccompRule::new(vec![bit(*mode, libc::S_ISUID)?])?]);
    }
    for (call, mode, flags) in MAKING_FILES {
        let mut making = Vec::new();
        for special in [libc::S_ISUID, libc::S_ISGID] {
            let makes = [libc::O_CREAT, libc::O_TMPFILE].map(i32::cast_unsigned);
            match flags {
                None => making.push(SeccompRule::new(vec![bit(*mode, special)?])?),
                Some(flags) => {
                    for flag in makes {
                        let both = vec![bit(*flags, flag)?, bit(*mode, special)?];
                        making.push(SeccompRule::new(both)?);
                    }
                }
            }
        }
        rules.insert(*call, making);
    }
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let machine = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine)?.try_into()
}

fn masked(bits: u32) -> SeccompCmpOp {
    SeccompCmpOp::MaskedEq(bits.into())
}

/// A condition on the lower half of an argument.
fn when(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

#[cfg(test)]
mod tests {
    use super::Filter;
    use std::io::Read;

    #[test]
    fn the_filter_is_whole_instructions_and_fits_a_pipe() {
        let filter = Filter::new().unwrap();
        let mut read = Vec::new();
        std::fs::File::from(filter.pipe().unwrap()).read_to_end(&mut read).unwrap();
        assert_eq!(read.len() % 8, 0);
        assert!(read.len() > 800 && read.len() < 32 * 1024, "{} bytes", read.len());
    }
}
