//! Where packages are fetched from, by the person's own settings for npm, uv and pip. Of npm's, the
//! fetch is given the registries and what logs in to them.

use super::package_settings::PackageSettings;
use reqwest::Url;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Used where the person set nothing else.
const NPM: &str = "https://registry.npmjs.org/";
const PYPI: &str = "https://pypi.org/simple";
/// Where the files lie that the index links to.
const PYPI_FILES: &str = "files.pythonhosted.org";
/// Whom to trust on the way out.
const TRUST: [&str; 8] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "NODE_USE_SYSTEM_CA",
    "UV_NATIVE_TLS",
    "UV_SYSTEM_CERTS",
];
/// Settings of npm that log in to a registry, and which of them are secret.
const LOGIN: [(&str, bool); 5] = [
    ("_authToken", true),
    ("_auth", true),
    ("_password", true),
    ("username", false),
    ("email", false),
];

/// What a fetch may reach, and what it has to know for that.
#[derive(Debug, Default)]
pub(super) struct Registries {
    /// The hosts, to be asked about.
    pub(super) hosts: Vec<String>,
    /// npm's settings file.
    pub(super) npmrc: String,
    /// Variables.
    pub(super) variables: BTreeMap<String, String>,
    /// Files and folders to be read.
    pub(super) read: Vec<PathBuf>,
    /// What must not be shown.
    pub(super) secrets: Vec<String>,
    /// Settings that can't be read; nothing is fetched without them.
    pub(super) unread: Option<PathBuf>,
}

impl Registries {
    /// For npm.
    pub(super) fn npm(settings: &PackageSettings) -> Self {
        let mut found = Self::trusting(settings);
        let said = settings.npm(&mut found.unread);
        let usual = ("registry".to_owned(), NPM.to_owned());
        let named = |(name, _): &(&String, &String)| name.ends_with(":registry");
        let scoped = said.iter().filter(named).map(|(name, url)| (name.clone(), url.clone()));
        let first = said.get("registry").map(|url| ("registry".to_owned(), url.clone()));
        let registries: Vec<(String, String)> =
            std::iter::once(first.unwrap_or(usual)).chain(scoped).collect();
        let places: Vec<_> = registries.iter().filter_map(|(_, url)| place(url)).collect();
        for (name, url) in &registries {
            found.add(url);
            found.set(name, url);
        }
        for (key, value) in said.iter().filter(|(key, _)| key.starts_with("//")) {
            let Some((address, name)) = key.rsplit_once(':') else { continue };
            let Some((_, secret)) = LOGIN.iter().find(|(login, _)| *login == name) else {
                continue;
            };
            if place(&format!("https:{address}")).is_some_and(|place| places.contains(&place)) {
                found.set(key, value);
                found.secrets.extend(secret.then(|| value.clone()));
            }
        }
        if let Some(file) = said.get("cafile") {
            found.set("cafile", file);
            found.read.push(file.into());
        }
        found
    }

    /// For uv. Where it has no index of its own, pip's is used.
    pub(super) fn python(settings: &PackageSettings) -> Self {
        let mut found = Self::trusting(settings);
        let own = settings.config().join("uv/uv.toml");
        let files = match settings.get("UV_CONFIG_FILE") {
            Some(file) => vec![PathBuf::from(file)],
            None => vec![own, PathBuf::from("/etc/uv/uv.toml")],
        };
        let mut has_default = false;
        let mut has_any = false;
        for file in files.into_iter().filter(|file| file.is_file()) {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let said = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
            for line in said {
                let plain = line.replace([' ', '\t'], "");
                has_default |= plain.starts_with("index-url=") || plain == "default=true";
                for url in addresses(line) {
                    found.add(url);
                    has_any = true;
                }
            }
            found.read.push(file);
        }
        for (name, value) in &settings.variables {
            let indexes = ["UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL"];
            let is_index = indexes.contains(&name.as_str());
            if is_index {
                addresses(value).for_each(|url| found.add(url));
                has_default |= indexes[..2].contains(&name.as_str()) && !value.is_empty();
                has_any |= !value.is_empty();
            }
            if is_index || name.starts_with("UV_INDEX_") || name == "UV_CONFIG_FILE" {
                found.secrets.extend(name.ends_with("_PASSWORD").then(|| value.clone()));
                found.variables.insert(name.clone(), value.clone());
            }
        }
        if let Some(folder) = settings.get("XDG_CONFIG_HOME") {
            found.variables.insert("XDG_CONFIG_HOME".to_owned(), folder.to_owned());
        }
        if !has_any {
            for (of_pip, of_uv) in
                [("index-url", "UV_DEFAULT_INDEX"), ("extra-index-url", "UV_EXTRA_INDEX_URL")]
            {
                let Some(urls) = settings.pip(of_pip, &mut found.unread) else { continue };
                addresses(&urls).for_each(|url| found.add(url));
                has_default |= of_pip == "index-url";
                found.variables.insert(of_uv.to_owned(), urls);
            }
        }
        if !has_default {
            found.add(PYPI);
        }
        if found.hosts.iter().any(|host| host == "pypi.org") {
            found.hosts.push(PYPI_FILES.to_owned());
        }
        found
    }

    /// None yet, but whom to trust.
    fn trusting(settings: &PackageSettings) -> Self {
        let mut found = Self::default();
        for name in TRUST {
            let Some(value) = settings.get(name) else { continue };
            found.variables.insert(name.to_owned(), value.to_owned());
            // One that is no path says yes or no.
            found.read.extend(Some(PathBuf::from(value)).filter(|path| path.is_absolute()));
        }
        found
    }

    fn add(&mut self, url: &str) {
        let Some((name, port)) = place(url) else { return };
        let host = port.map_or(name.clone(), |port| format!("{name}:{port}"));
        if !self.hosts.contains(&host) {
            self.hosts.push(host);
        }
        let password = Url::parse(url).ok().and_then(|url| url.password().map(str::to_owned));
        self.secrets.extend(password);
    }

    fn set(&mut self, name: &str, value: &str) {
        // Quoted as npm reads it, so that nothing in it is taken for a comment.
        self.npmrc.push_str(&format!("{name}={}\n", serde_json::Value::from(value)));
    }
}

/// The host of an address, and its port where that is not the usual one.
pub(super) fn place(url: &str) -> Option<(String, Option<u16>)> {
    let url =
        Url::parse(url.trim()).ok().filter(|url| ["http", "https"].contains(&url.scheme()))?;
    Some((url.host_str()?.to_owned(), url.port()))
}

/// The addresses in a text.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "\"',[]".contains(c));
    words.filter_map(|word| {
        let at = word.find("https://").or(word.find("http://"))?;
        Some(&word[at..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs<'a> = &'a [(&'a str, &'a str)];

    fn settings(
        files: &[(&str, &str)],
        variables: &[(&str, &str)],
    ) -> (tempfile::TempDir, PackageSettings) {
        let home = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = home.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        // What this computer has for everyone is none of the test's business.
        let none = |name: &str| (name.to_owned(), home.path().join("none").display().to_string());
        let mut all = BTreeMap::from([none("npm_config_globalconfig"), none("PIP_CONFIG_FILE")]);
        for (name, value) in variables {
            let value = value.replace("HOME", &home.path().display().to_string());
            all.insert((*name).to_owned(), value);
        }
        let settings = PackageSettings { home: home.path().to_owned(), variables: all };
        (home, settings)
    }

    #[test]
    fn without_settings_the_public_registries_are_asked_about() {
        let (_home, settings) = settings(&[], &[]);
        assert_eq!(Registries::npm(&settings).hosts, ["registry.npmjs.org"]);
        assert_eq!(Registries::npm(&settings).npmrc, "registry=\"https://registry.npmjs.org/\"\n");
        assert_eq!(Registries::python(&settings).hosts, ["pypi.org", "files.pythonhosted.org"]);
    }

    #[test]
    fn the_fetch_gets_registries_and_what_logs_in_to_them_and_nothing_else() {
        let npmrc = "; mine\nregistry = https://npm.corp.example/all/\n\
            @a:registry=https://a.example:8443\n\
            //npm.corp.example/all/:_authToken=${TOKEN}\n//a.example:8443/:_password=\"cGFzcw==\"\n\
            //elsewhere.example/:_authToken=not-yours\n//a.example/:_authToken=other-port\n\
            //npm.corp.example/all/:keyfile=/home/me/.ssh/id\n\
            ignore-scripts=false\nscript-shell=/tmp/evil\ngit=/tmp/evil\n_authToken=old\n";
        let (_home, settings) = settings(&[(".npmrc", npmrc)], &[("TOKEN", "t0ken")]);
        let found = Registries::npm(&settings);
        assert_eq!(found.hosts, ["npm.corp.example", "a.example:8443"]);
        assert_eq!(
            found.npmrc,
            "registry=\"https://npm.corp.example/all/\"\n@a:registry=\"https://a.example:8443\"\n\
             //a.example:8443/:_password=\"cGFzcw==\"\n\
             //npm.corp.example/all/:_authToken=\"t0ken\"\n"
        );
        assert_eq!(found.secrets, ["cGFzcw==", "t0ken"]);
    }

    #[test]
    fn settings_that_cannot_be_read_are_not_taken_for_none() {
        let (home, settings) = settings(&[], &[("PIP_CONFIG_FILE", "HOME/pip.conf")]);
        let (npmrc, pip) = (home.path().join(".npmrc"), home.path().join("pip.conf"));
        std::fs::write(&npmrc, b"; M\xfcller\nregistry=https://npm.corp.example/\n").unwrap();
        std::fs::write(&pip, b"# M\xfcller\nindex-url=https://pip.corp.example/\n").unwrap();
        assert_eq!(Registries::npm(&settings).hosts, ["npm.corp.example"]);
        assert_eq!(Registries::python(&settings).hosts, ["pip.corp.example"]);
        for file in [&npmrc, &pip] {
            std::fs::remove_file(file).unwrap();
            std::fs::create_dir(file).unwrap();
        }
        assert_eq!(Registries::npm(&settings).unread, Some(npmrc));
        assert_eq!(Registries::python(&settings).unread, Some(pip));
    }

    #[test]
    fn variables_count_more_than_files_and_cannot_add_a_line() {
        let files = [
            (".npmrc", "registry=https://file.example/\n"),
            ("g", "@b:registry=http://b.example/\n"),
        ];
        let variables = [
            ("NPM_CONFIG_REGISTRY", "https://variable.example/"),
            ("npm_config_globalconfig", "HOME/g"),
            ("npm_config_@c:registry", "https://c.example/\nscript-shell=/tmp/evil"),
        ];
        let (_home, settings) = settings(&files, &variables);
        let found = Registries::npm(&settings);
        assert_eq!(found.hosts, ["variable.example", "b.example"]);
        assert!(!found.npmrc.contains("evil"), "{}", found.npmrc);
    }

    #[test]
    fn uv_has_its_own_indexes_and_else_those_of_pip() {
        let conf = "[global]\nindex-url = https://pip.example/simple\nextra-index-url =\n    https://x.example/a\n    https://y.example/b\n";
        let pip = [("pip.conf", conf)];
        let file = ("PIP_CONFIG_FILE", "HOME/pip.conf");
        let rows: &[(Pairs<'_>, Pairs<'_>, &[&str])] = &[
            (&pip, &[file], &["pip.example", "x.example", "y.example"]),
            (
                &pip,
                &[file, ("PIP_INDEX_URL", "https://v.example/")],
                &["v.example", "x.example", "y.example"],
            ),
            (&pip, &[file, ("UV_DEFAULT_INDEX", "https://uv.example/")], &["uv.example"]),
            (
                &[],
                &[("UV_INDEX", "corp=https://u:p@i.example:81/s")],
                &["i.example:81", "pypi.org", "files.pythonhosted.org"],
            ),
            (
                &[(
                    ".config/uv/uv.toml",
                    "# https://no.example\nindex-url = \"https://toml.example/simple\"\n",
                )],
                &[],
                &["toml.example"],
            ),
            (
                &[(
                    ".config/uv/uv.toml",
                    "[[index]]\nurl = \"https://one.example\"\n[[index]]\nurl=\"https://two.example\"\ndefault = true\n",
                )],
                &[],
                &["one.example", "two.example"],
            ),
        ];
        for (files, variables, hosts) in rows {
            let (_home, settings) = settings(files, variables);
            assert_eq!(Registries::python(&settings).hosts, *hosts, "{files:?} {variables:?}");
        }
        let (_home, settings) = settings(
            &[],
            &[("UV_INDEX", "https://u:p4ss@i.example/s"), ("UV_INDEX_CORP_PASSWORD", "w0rd")],
        );
        assert_eq!(Registries::python(&settings).secrets, ["p4ss", "w0rd"]);
    }

    #[test]
    fn a_fetch_knows_whom_to_trust_and_neither_keys_nor_the_way_out() {
        let trusted = TRUST.map(|name| (name, "/etc/ssl/own"));
        let kept = ["HTTPS_PROXY", "OPENAI_API_KEY", "NODE_OPTIONS", "LD_PRELOAD", "SSH_AUTH_SOCK"];
        let kept = kept.map(|name| (name, "x"));
        let (_home, settings) = settings(&[], &[&trusted[..], &kept[..]].concat());
        for found in [Registries::npm(&settings), Registries::python(&settings)] {
            let names: Vec<&str> = found.variables.keys().map(String::as_str).collect();
            assert!(TRUST.iter().all(|name| names.contains(name)), "{names:?}");
            assert_eq!(names.len(), TRUST.len(), "{names:?}");
            assert!(found.read.contains(&PathBuf::from("/etc/ssl/own")));
        }
        assert_eq!(settings.proxy(), Some("HTTPS_PROXY"));
    }
}
