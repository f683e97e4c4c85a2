//! The packages of servers: fetched when a person allows it, and found again.

use super::error::McpError;
use super::install::Install;
use super::lockfile::Installed;
use super::package_manager::InstallGrant;
use super::server::Server;
use super::servers::Servers;
use std::path::PathBuf;

impl Servers {
    /// The hosts that fetching the package of a server has to reach.
    pub fn install_hosts(&self, server: &Server) -> Vec<String> {
        let install = Install::of(server);
        install.map_or_else(Vec::new, |install| install.hosts(&self.around().package_settings))
    }

    /// Fetches the package of a server that needs one.
    pub async fn install(
        &self,
        server: &Server,
        grant: &InstallGrant,
    ) -> Result<Option<Installed>, McpError> {
        let Some(install) = Install::of(server) else { return Ok(None) };
        let folder = self.package_folder(&server.name);
        let installed = install.fetch(&server.name, &folder, self.around(), grant).await?;
        let Installed { package, version, packages, lockfile, hash } = &installed;
        let others = packages.saturating_sub(1);
        self.note(
            &server.name,
            &format!(
                "installed {package} {version} and {others} packages that it needs; {} has the \
                 hash {hash}",
                lockfile.display()
            ),
        );
        Ok(Some(installed))
    }

    /// What was fetched for a server.
    pub fn installed(&self, server: &Server) -> Option<Installed> {
        Install::of(server)?.installed(&self.package_folder(&server.name))
    }

    /// The server as it can be started: one that is fetched, from where it is.
    pub(super) fn fetched(&self, server: &Server) -> Result<Server, McpError> {
        let Some(install) = Install::of(server) else { return Ok(server.clone()) };
        let folder = self.package_folder(&server.name);
        let name = server.name.clone();
        if install.installed(&folder).is_none() {
            let (by, package) = (install.by, install.package);
            return Err(McpError::NotInstalled { server: name, by, package });
        }
        let Some(reach) = install.reach(&server.reach, &folder) else {
            let why = "its package brings no program, or several".to_owned();
            return Err(McpError::NotStarted { server: name, why });
        };
        Ok(Server { reach, ..server.clone() })
    }

    fn package_folder(&self, server: &str) -> PathBuf {
        // A person's name for it may hold anything but a dot.
        let name = blake3::hash(server.as_bytes()).to_hex();
        self.around().packages.join(&name[..16])
    }
}
