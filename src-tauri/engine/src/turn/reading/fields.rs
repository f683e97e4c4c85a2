//! The fields of a call by the names that models give them.

use super::Misread;
use serde_json::{Map, Value};

/// Fields that were given and not looked at yet.
#[derive(Default)]
pub(super) struct Fields {
    given: Vec<(String, Value)>,
}

impl Fields {
    /// The fields of an object. Models fill in what they leave out with null.
    pub(super) fn of(object: Map<String, Value>) -> Self {
        Self { given: object.into_iter().filter(|(_, value)| !value.is_null()).collect() }
    }

    /// Takes a field out by its name or one of the others it goes by. Two of them with two values
    /// are not chosen between.
    pub(super) fn take(&mut self, name: &str, also: &[&str]) -> Result<Option<Value>, Misread> {
        let fits = |key: &str| {
            let key = plain(key);
            key == name || also.contains(&key.as_str())
        };
        let (found, rest) =
            std::mem::take(&mut self.given).into_iter().partition(|(key, _)| fits(key));
        self.given = rest;
        let mut found: Vec<(String, Value)> = found;
        // Its own name comes first.
        found.sort_by_key(|(key, _)| key != name);
        let mut found = found.into_iter();
        let Some((key, value)) = found.next() else { return Ok(None) };
        match found.find(|(_, other)| *other != value) {
            Some((other, _)) => {
                let problem = format!(
                    "`{key}` and `{other}` are both there, with two values; give `{name}` once"
                );
                Err(Misread::of(name, problem))
            }
            None => Ok(Some(value)),
        }
    }

    /// Adds a field.
    pub(super) fn put(&mut self, name: &str, value: Value) {
        self.given.push((name.to_owned(), value));
    }

    /// Whether a field is there by one of these names.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.given.iter().any(|(key, _)| names.contains(&plain(key).as_str()))
    }

    /// A field by its name, left where it is.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.given.iter().find(|(key, _)| plain(key) == name).map(|(_, value)| value)
    }

    /// What was not looked at.
    pub(super) fn rest(self) -> Vec<(String, Value)> {
        self.given
    }
}

/// A name in our spelling: `filePath` and `file-path` are `file_path`.
pub(super) fn plain(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 2);
    let mut before = ' ';
    for c in key.trim().chars() {
        if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            out.push('_');
        }
        out.push(if matches!(c, '-' | ' ') { '_' } else { c.to_ascii_lowercase() });
        before = c;
    }
    out
}

/// Words of any kind as text: a number is written out.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(value: Value) -> Fields {
        Fields::of(value.as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn a_field_goes_by_several_names_but_has_one_value() {
        let mut given = fields(json!({ "filePath": "a", "path": null, "x": 1 }));
        assert_eq!(given.take("path", &["file_path"]), Ok(Some(json!("a"))));
        assert_eq!(given.take("path", &["file_path"]), Ok(None));
        assert_eq!(given.rest(), [("x".to_owned(), json!(1))]);
        let mut same = fields(json!({ "file": "a", "path": "a" }));
        assert_eq!(same.take("path", &["file"]), Ok(Some(json!("a"))));
        let mut two = fields(json!({ "file": "a", "path": "b" }));
        let problem = two.take("path", &["file"]).unwrap_err().problem;
        assert!(problem.contains("`path`") && problem.contains("`file`"), "{problem}");
    }
}
