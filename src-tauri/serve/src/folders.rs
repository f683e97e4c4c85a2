//! Where the data and the configuration are: as the words say, else the environment.

use engine::config::ConfigPlace;
use std::ffi::OsString;
use std::path::PathBuf;

/// The folders that a command was given.
#[derive(clap::Args)]
pub struct Folders {
    /// Where the log is; PLANCARD_DATA, else the app's data folder
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The configuration; PLANCARD_CONFIG, else the app's folder
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Folders {
    /// Whether a configuration was named, by the words or the environment.
    pub fn name_config(&self, var: impl Fn(&str) -> Option<OsString>) -> bool {
        self.config.is_some() || var("PLANCARD_CONFIG").is_some_and(|value| !value.is_empty())
    }

    /// The data folder and the configuration, with what the environment says where the words
    /// say nothing.
    pub fn found(
        self,
        var: impl Fn(&str) -> Option<OsString>,
    ) -> Result<(PathBuf, ConfigPlace), String> {
        let Some(data) = self.data.or_else(|| engine::data_folder(&var)) else {
            return Err("there is no home folder; name a data folder with --data".to_owned());
        };
        let config = self.config.map(ConfigPlace::File).or_else(|| ConfigPlace::from_env(&var));
        let Some(config) = config else {
            return Err("there is no home folder; name a configuration with --config".to_owned());
        };
        Ok((data, config))
    }
}
