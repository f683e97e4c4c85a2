//! Reads the two files, lays the person's over the settings', and turns the
//! result into a [`Config`].

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::caps::{self, OtherNames};
use super::council::Orchestrator;
use super::goals::Planner;
use super::ignored_keys;
use super::limits;
use super::network::Network;
use super::place::ConfigPlace;
use super::problem::{ConfigErrors, Problems};
use super::report::Report;
use super::sandbox::Sandbox;
use super::section::Section;
use super::spending::Spending;
use super::surfaces::{Api, Ui};
use super::tree::{Mark, Node, Source, Value, lay_over};
use super::{
    Config, Loaded, by_person, lists, mcp, patterns, read_agents, read_models, read_providers,
    variables, yaml,
};

pub(super) fn load(place: &ConfigPlace) -> Result<Loaded, ConfigErrors> {
    let (config, problems) = read(place);
    let Problems { errors, warnings } = problems;
    if errors.is_empty() { Ok(Loaded { config, warnings }) } else { Err(ConfigErrors(errors)) }
}

/// What is at a place, as far as it can be understood, and all that is wrong with it.
pub(super) fn read(place: &ConfigPlace) -> (Config, Problems) {
    let report = Report::new(place.person_file(), place.settings_file());
    let mut person = read_file(&place.person_file(), Source::Person, place, &report);
    // What the settings screen wrote is meant as it stands.
    let mut used = BTreeMap::new();
    variables::fill(&mut person, &|name| std::env::var(name).ok(), &mut used);
    let settings = read_file(&place.settings_file(), Source::Settings, place, &report);
    let by_person = by_person::paths(&person);
    let root = lay_over(person, settings);
    let mut config = resolve(&root, &report);
    config.by_person = by_person;
    config.variables = used;

    let (errors, warnings) = report.into_parts();
    (config, Problems { errors, warnings })
}

fn read_file(path: &Path, source: Source, place: &ConfigPlace, report: &Report) -> Node {
    let empty = Node { at: Mark::whole(source), value: Value::Null };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            let named = source == Source::Person && matches!(place, ConfigPlace::File(_));
            if named || error.kind() != ErrorKind::NotFound {
                report.error(empty.at, "", format!("cannot be read: {error}"));
            }
            return empty;
        }
    };
    let root = yaml::read(&text, source, report).map(|root| lists::by_name(root, report));
    root.unwrap_or(empty)
}

/// Providers come first and models second, because names of models need both.
fn resolve(root: &Node, report: &Report) -> Config {
    let top = Section::new(report, "", Some(root)).ignoring(ignored_keys::TOP);
    let mut config =
        Config { providers: read_providers::read(&top.section("providers")), ..Config::default() };
    read_models::read(&top.section("models"), &mut config);
    config.mcp_servers = mcp::read(&top.section("mcp_servers"));
    read_agents::read(&top.section("agents"), &mut config);

    let planner = top.section("planner");
    let orchestrator = top.section("orchestrator").ignoring(ignored_keys::ORCHESTRATOR);
    let coordination = orchestrator.section("coordination").ignoring(ignored_keys::COORDINATION);
    let timeouts = top.section("timeout_settings");
    let caps = top.section("caps");
    let other = OtherNames { planner: &planner, coordination: &coordination, timeouts: &timeouts };
    config.caps = caps::read(&caps, &other);
    config.planner = Planner::read(&planner, &config);
    config.orchestrator = Orchestrator::read(&orchestrator, &coordination, &timeouts);
    let (ui, api, network) = (top.section("ui"), top.section("api"), top.section("network"));
    let spending = top.section("spending");
    config.spending = Spending::read(&spending);
    config.ui = Ui::read(&ui);
    config.api = Api::read(&api);
    config.network = Network::read(&network);
    let sandbox = top.section("sandbox");
    config.sandbox = Sandbox::read(&sandbox);
    let limits = top.section("limits");
    config.limits = limits::read(&limits);
    config.redact = patterns::read(&top).into();
    config.workspaces = mcp::folders(&top, "workspaces");
    let goals = [planner, orchestrator, coordination, timeouts];
    for section in goals.into_iter().chain([caps, ui, api, network, sandbox, limits, spending, top])
    {
        section.finish();
    }
    config
}
