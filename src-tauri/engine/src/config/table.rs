//! The built-in table of well-known models, kept in `models.yaml`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use super::facts::ModelFacts;
use super::model_ref::ModelRef;
use super::report::Report;
use super::section::Section;
use super::tree::Source;
use super::yaml;

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read().0);

#[derive(Debug, Default)]
struct Table {
    facts: BTreeMap<ModelRef, ModelFacts>,
    /// In the order of the file, where each provider begins with the one that suits most.
    order: Vec<ModelRef>,
    /// Every name a model goes by, its own included.
    names: BTreeMap<String, Vec<ModelRef>>,
}

/// The models that go by a bare name.
pub(super) fn named(name: &str) -> &'static [ModelRef] {
    TABLE.names.get(name).map_or(&[], Vec::as_slice)
}

/// Every bare name in the table.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.names.keys().map(String::as_str)
}

/// Every model in the table; of each provider first the one that suits most.
pub(super) fn models() -> &'static [ModelRef] {
    &TABLE.order
}

/// What the table knows of a model, by its own name or another it goes by.
pub(super) fn facts(model: &ModelRef) -> Option<ModelFacts> {
    TABLE.facts.get(model).copied().or_else(|| {
        let same = named(&model.model).iter().find(|known| known.provider == model.provider);
        TABLE.facts.get(same?).copied()
    })
}

/// The name a model's maker knows it by, where another was written.
pub(super) fn own_name(model: &ModelRef) -> Option<&'static str> {
    let same = named(&model.model).iter().find(|known| known.provider == model.provider);
    same.map(|known| known.model.as_str())
}

impl Table {
    fn read() -> (Self, Report) {
        let report = Report::new(PathBuf::from("models.yaml"), PathBuf::new());
        let root = yaml::read(include_str!("models.yaml"), Source::Person, &report);
        let mut table = Self::default();
        for (provider, node, path) in Section::new(&report, "", root.as_ref()).named() {
            for (name, node, path) in Section::new(&report, path, Some(node)).named() {
                let section = Section::new(&report, path, Some(node));
                let model = ModelRef::new(provider, name);
                for name in section.texts("also").into_iter().chain([name.to_owned()]) {
                    table.names.entry(name).or_default().push(model.clone());
                }
                table.facts.insert(model.clone(), ModelFacts::read(&section));
                table.order.push(model);
                section.finish();
            }
        }
        (table, report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_no_mistakes_and_no_name_twice() {
        let (table, report) = Table::read();
        assert_eq!(report.into_parts(), (vec![], vec![]));
        assert!(table.facts.len() > 15);
        for (name, models) in table.names {
            assert_eq!(models.len(), 1, "{name}");
        }
    }
}
