//! What has to be on the machine before Plancard can be built and run.

/// Something the system's package manager installs.
pub struct Package {
    /// Its name on Debian and its children.
    pub name: &'static str,
    /// The program that shows it is there, however it was installed; `None` for a library.
    pub program: Option<&'static str>,
    /// What Plancard does with it.
    pub purpose: &'static str,
}

/// The packages every build needs.
pub const NEEDED: &[Package] = &[
    Package {
        name: "build-essential",
        program: Some("cc"),
        purpose: "compiles the parts written in C, and links",
    },
    Package { name: "pkg-config", program: Some("pkg-config"), purpose: "finds system libraries" },
    Package {
        name: "git",
        program: Some("git"),
        purpose: "gives background agents their own copy of a workspace",
    },
    Package { name: "bubblewrap", program: Some("bwrap"), purpose: "confines what an agent runs" },
];
