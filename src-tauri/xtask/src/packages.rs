//! What has to be on the machine before Plancard can be built and run.

/// Something the system's package manager installs.
pub struct Package {
    /// Its name on Debian and its children.
    pub name: &'static str,
    /// The program that shows it is there, however it was installed; with words after it, it is
    /// run with them and has to succeed. `None` for a library.
    pub program: Option<&'static str>,
    /// What Plancard does with it.
    pub purpose: &'static str,
}

/// What the tests need beside that: a screen, a bus and a hand on the window.
pub const FOR_TESTS: &[Package] = &[
    Package { name: "xvfb", program: Some("Xvfb"), purpose: "is a screen nobody sees" },
    Package { name: "dbus", program: Some("dbus-daemon"), purpose: "is a bus of the tests' own" },
    Package { name: "openbox", program: Some("openbox"), purpose: "manages the window" },
    Package {
        name: "webkit2gtk-driver",
        program: Some("WebKitWebDriver"),
        purpose: "clicks and reads in the window",
    },
    Package { name: "gnome-keyring", program: Some("gnome-keyring-daemon"), purpose: "keeps keys" },
    Package { name: "fonts-dejavu-core", program: None, purpose: "has letters to draw" },
    Package {
        name: "xdotool",
        program: Some("xdotool"),
        purpose: "presses keys and moves the mouse",
    },
    Package {
        name: "x11-utils",
        program: Some("xprop"),
        purpose: "tells when the window is shown",
    },
    Package {
        name: "imagemagick",
        program: Some("import"),
        purpose: "takes pictures of the screen",
    },
    Package {
        name: "python3-venv",
        program: Some("python3 -m ensurepip --version"),
        purpose: "installs MCP servers",
    },
    Package { name: "curl", program: Some("curl"), purpose: "calls the API" },
    Package { name: "python3", program: Some("python3"), purpose: "is a toolchain to confine" },
    Package { name: "ripgrep", program: Some("rg"), purpose: "is what search is measured by" },
    Package { name: "libglib2.0-bin", program: Some("gio"), purpose: "opens links as GNOME does" },
    Package {
        name: "desktop-file-utils",
        program: Some("desktop-file-validate"),
        purpose: "checks and registers the desktop entry",
    },
];

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
    Package { name: "libwebkit2gtk-4.1-dev", program: None, purpose: "shows the window" },
    Package { name: "libayatana-appindicator3-dev", program: None, purpose: "shows the tray icon" },
    Package { name: "librsvg2-dev", program: None, purpose: "draws icons" },
    Package { name: "libdbus-1-dev", program: None, purpose: "talks to the desktop" },
];
