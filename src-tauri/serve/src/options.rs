//! What `plancard serve` was asked to do.

use engine::config::ConfigPlace;
use lexopt::{Arg, Parser, ValueExt};
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// The address when none is given: any free port on loopback.
const ANY_PORT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

const USAGE: &str = "plancard serve: rooms, plans and questions over a local API

  --listen 127.0.0.1:PORT   where to listen; any free port when absent
  --data DIR                where the log is; PLANCARD_DATA, else the app's data folder
  --config FILE             the configuration; PLANCARD_CONFIG, else the app's folder
  --help                    this text

The token is taken from PLANCARD_TOKEN, or made and kept in the data folder.
What it may do is taken from PLANCARD_RIGHTS (read,supervise,run,approve), else from api.rights in
the configuration. With neither, a token that was made may not approve; one from PLANCARD_TOKEN may.";

/// Where everything is.
#[derive(Debug)]
pub struct ServeOptions {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Where the log is.
    pub data: PathBuf,
    /// Where the configuration is.
    pub config: ConfigPlace,
}

/// Reads arguments and environment; `None` when only help was wanted.
pub fn read(
    args: impl Iterator<Item = OsString>,
    var: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<ServeOptions>, String> {
    let mut parser = Parser::from_args(args);
    let (mut listen, mut data, mut config) = (ANY_PORT, None, None);
    while let Some(arg) = parser.next().map_err(said)? {
        match arg {
            Arg::Long("listen") => listen = parser.value().and_then(|v| v.parse()).map_err(said)?,
            Arg::Long("data") => data = Some(PathBuf::from(parser.value().map_err(said)?)),
            Arg::Long("config") => config = Some(PathBuf::from(parser.value().map_err(said)?)),
            Arg::Long("help") | Arg::Short('h') => {
                println!("{USAGE}");
                return Ok(None);
            }
            Arg::Short(_) | Arg::Long(_) | Arg::Value(_) => {
                return Err(format!("{}\n\n{USAGE}", arg.unexpected()));
            }
        }
    }
    if !listen.ip().is_loopback() {
        return Err(format!("{listen} is not a loopback address; use 127.0.0.1:PORT"));
    }
    let Some(data) = data.or_else(|| engine::data_folder(&var)) else {
        return Err("there is no home folder; name a data folder with --data".to_owned());
    };
    let config = match config {
        Some(file) => Some(ConfigPlace::File(file)),
        None => ConfigPlace::from_env(&var),
    };
    let Some(config) = config else {
        return Err("there is no home folder; name a configuration with --config".to_owned());
    };
    Ok(Some(ServeOptions { listen, data, config }))
}

fn said(error: lexopt::Error) -> String {
    format!("{error}\n\n{USAGE}")
}
