//! `cargo xtask bundle`: a package for Debian and its children.
//!
//! The files are laid out as they will lie on the disk, and `dpkg-deb` packs them.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::command::{finish, program, released, root};
use crate::{Outcome, machine, release, test};

/// What is packed beside the programs: where it is in the workspace, and where it goes.
const FILES: [(&str, &str); 5] = [
    ("src-tauri/linux/plancard.desktop", "usr/share/applications/plancard.desktop"),
    ("icons/32x32.png", "usr/share/icons/hicolor/32x32/apps/plancard.png"),
    ("icons/128x128.png", "usr/share/icons/hicolor/128x128/apps/plancard.png"),
    ("icons/icon.png", "usr/share/icons/hicolor/512x512/apps/plancard.png"),
    ("LICENSE", "usr/share/doc/plancard/copyright"),
];

/// `plancard` without words becomes the window beside it; of the last two, one runs inside
/// sandboxes and the other looks after them.
const PROGRAMS: [&str; 4] = ["plancard", "plancard-window", "plancard-net", "plancard-warden"];

/// The window, the tray, the desktop's bus, the sandbox, and copies of a workspace.
const NEEDS: &str = "libgtk-3-0, libwebkit2gtk-4.1-0, libayatana-appindicator3-1, libdbus-1-3, \
                     bubblewrap, git";

/// What Plancard can do without: a place for keys, and something that opens links.
const LIKES: &str = "gnome-keyring | kwalletmanager | keepassxc, xdg-utils";

const ABOUT: &str = "\
Description: A plan you approve, and an agent that keeps to it
 Plancard lets an agent work through a plan on your computer while you keep the
 last word. You say what you want. The agent writes a plan, does it step by step
 in one folder, and stops to ask where it should not decide alone.
";

/// Builds for release, packs, and says where the package is.
pub fn perform(words: &[String]) -> Outcome {
    if let Some(word) = words.first() {
        return Err(format!("`bundle` takes nothing, not `{word}`"));
    }
    let begun = Instant::now();
    machine::set_up()?;
    release::build()?;
    println!("packing …");
    let folder = released()?.join("bundle");
    let layout = folder.join("layout");
    let told = |error: std::io::Error| format!("laying out the package: {error}");
    if layout.exists() {
        fs::remove_dir_all(&layout).map_err(told)?;
    }
    lay_out(&layout).map_err(told)?;
    let programs = PROGRAMS.map(|name| layout.join("usr/bin").join(name));
    finish(program("strip")?.arg("--strip-unneeded").args(programs))?;
    let architecture = said("dpkg", &["--print-architecture"])?;
    let control = control(&layout, architecture.trim()).map_err(told)?;
    fs::create_dir(layout.join("DEBIAN")).map_err(told)?;
    fs::write(layout.join("DEBIAN/control"), control).map_err(told)?;
    // Everyone may read, and run what is a program, whatever the files here are like.
    finish(program("chmod")?.args(["-R", "u=rwX,go=rX"]).arg(&layout))?;

    let name = format!("plancard_{}_{}.deb", env!("CARGO_PKG_VERSION"), architecture.trim());
    let package = folder.join(name);
    // `xz` is understood by every dpkg there is; the owner is not who happens to build.
    let words = ["--build", "--root-owner-group", "-Zxz"];
    finish(program("dpkg-deb")?.args(words).args([&layout, &package]))?;
    let size = fs::metadata(&package).map_err(told)?.len();
    println!("{}", package.display());
    println!("{}, {}; `apt install` takes this path", megabytes(size), test::shown(begun));
    Ok(())
}

fn lay_out(layout: &Path) -> std::io::Result<()> {
    let other = std::io::Error::other;
    let (top, built) = (root().map_err(other)?, released().map_err(other)?);
    let files = FILES.iter().map(|(from, to)| (top.join(from), layout.join(to)));
    let programs =
        PROGRAMS.iter().map(|name| (built.join(name), layout.join("usr/bin").join(name)));
    for (from, to) in files.chain(programs) {
        fs::create_dir_all(to.parent().unwrap_or(layout))?;
        fs::copy(&from, &to).map_err(|error| other(format!("{}: {error}", from.display())))?;
    }
    Ok(())
}

/// What the package says of itself.
fn control(layout: &Path, architecture: &str) -> std::io::Result<String> {
    let mut newest = 0;
    for name in PROGRAMS {
        let bytes = fs::read(layout.join("usr/bin").join(name))?;
        newest = newest.max(c_library(&bytes).unwrap_or(0));
    }
    Ok(format!(
        "Package: plancard\nVersion: {}\nArchitecture: {architecture}\nSection: utils\n\
         Priority: optional\nMaintainer: Plancard\nInstalled-Size: {}\n\
         Depends: libc6 (>= 2.{newest}), {NEEDS}\nRecommends: {LIKES}\n{ABOUT}",
        env!("CARGO_PKG_VERSION"),
        size(layout)?.div_ceil(1_024),
    ))
}

/// The newest 2.x of the C library that a program names.
fn c_library(program: &[u8]) -> Option<u32> {
    const NAME: &[u8] = b"GLIBC_2.";
    let starts = program.windows(NAME.len()).enumerate().filter(|(_, part)| *part == NAME);
    let version = |at: usize| {
        let digits = program[at + NAME.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        digits.take(4).fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
    };
    starts.map(|(at, _)| version(at)).max()
}

fn size(path: &Path) -> std::io::Result<u64> {
    if !path.is_dir() {
        return Ok(path.metadata()?.len());
    }
    fs::read_dir(path)?.map(|entry| size(&entry?.path())).sum()
}

fn said(name: &str, words: &[&str]) -> Result<String, String> {
    let output = Command::new(name).args(words).output();
    let output = output.map_err(|error| format!("cannot start `{name}`: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_c_library_is_found() {
        assert_eq!(c_library(b"..GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.4\0"), Some(34));
        assert_eq!(c_library(b"nothing"), None);
    }

    #[test]
    fn what_is_packed_is_there_and_takes_links() {
        let root = root().unwrap();
        for (from, _) in FILES {
            assert!(root.join(from).is_file(), "{from} is missing");
        }
        let entry = fs::read_to_string(root.join(FILES[0].0)).unwrap();
        assert!(entry.contains("\nExec=plancard-window %u\n"));
        assert!(entry.contains("\nMimeType=x-scheme-handler/plancard;\n"));
    }

    #[test]
    fn sizes_read_as_a_person_says_them() {
        assert_eq!(megabytes(6_625_500), "6.6 MB");
    }

    #[test]
    fn an_unknown_word_is_named() {
        let outcome = perform(&["rpm".into()]);
        assert_eq!(outcome, Err("`bundle` takes nothing, not `rpm`".into()));
    }
}
