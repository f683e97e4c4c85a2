//! A server's question: from its schema to fields a person can fill in, and
//! from a person's words to the values it wants.

use super::calls::{Field, Question};
use serde_json::{Map, Value, json};

/// The most fields.
const FIELDS: usize = 20;

impl Question {
    /// Reads what a server asks.
    pub(super) fn new(message: &str, schema: &Value) -> Self {
        let required = schema["required"].as_array();
        let is_required =
            |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
        let properties = schema["properties"].as_object().into_iter().flatten();
        let fields = properties.take(FIELDS).map(|(name, property)| Field {
            name: name.clone(),
            kind: property["type"].as_str().unwrap_or("string").to_owned(),
            required: is_required(name),
            about: ["description", "title"]
                .iter()
                .find_map(|key| property[*key].as_str())
                .unwrap_or_default()
                .to_owned(),
            options: options(property),
        });
        Self { message: message.to_owned(), fields: fields.collect() }
    }

    /// A person's words as the values the server wants: the one value where
    /// there is one field, else a JSON object or lines of `name: value`.
    pub fn read(&self, words: &str) -> Result<Value, String> {
        let mut given: Map<String, Value> = match serde_json::from_str(words.trim()) {
            Ok(Value::Object(map)) => map,
            _ => match self.fields.as_slice() {
                [] => Map::new(),
                [field] => [(field.name.clone(), json!(words.trim()))].into_iter().collect(),
                [..] => lines(words)?,
            },
        };
        given.retain(|_, value| !value.is_null());
        let mut values = Map::new();
        for field in &self.fields {
            match given.remove(&field.name) {
                Some(value) => drop(values.insert(field.name.clone(), field.value(&value)?)),
                None if field.required => return Err(format!("{} is missing", field.name)),
                None => {}
            }
        }
        match given.keys().next() {
            Some(unknown) => Err(format!("nothing called {unknown} was asked for")),
            None => Ok(Value::Object(values)),
        }
    }
}

impl Field {
    fn value(&self, value: &Value) -> Result<Value, String> {
        let text = value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned());
        let bad = |allowed: &str| format!("{} is {text:?}; allowed: {allowed}", self.name);
        if !self.options.is_empty() && !self.options.contains(&text) {
            return Err(bad(&self.options.join(", ")));
        }
        match self.kind.as_str() {
            "boolean" => match text.to_lowercase().as_str() {
                "true" | "yes" | "on" => Ok(json!(true)),
                "false" | "no" | "off" => Ok(json!(false)),
                _ => Err(bad("yes, no")),
            },
            "integer" => text.parse::<i64>().map(Value::from).map_err(|_| bad("a whole number")),
            "number" => {
                let number = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
                number.map(Value::Number).ok_or_else(|| bad("a number"))
            }
            "array" if value.is_array() => Ok(value.clone()),
            "array" => Ok(text.split(',').map(|part| json!(part.trim())).collect()),
            _ => Ok(json!(text)),
        }
    }
}

fn options(property: &Value) -> Vec<String> {
    let listed = property["enum"].as_array().into_iter().flatten();
    let titled = property["oneOf"].as_array().into_iter().flatten().map(|one| &one["const"]);
    listed.chain(titled).filter_map(Value::as_str).map(str::to_owned).collect()
}

fn lines(words: &str) -> Result<Map<String, Value>, String> {
    let lines = words.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| match line.split_once(':') {
            Some((name, value)) => Ok((name.trim().to_owned(), json!(value.trim()))),
            None => Err("write each field as a line `name: value`".to_owned()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(properties: Value, required: Value) -> Question {
        Question::new("?", &json!({ "properties": properties, "required": required }))
    }

    #[test]
    fn one_field_takes_the_words_as_they_are() {
        let name = question(json!({ "name": { "type": "string" } }), json!(["name"]));
        assert_eq!(name.read("Ada: the first"), Ok(json!({ "name": "Ada: the first" })));
        let age = question(json!({ "age": { "type": "integer" } }), json!([]));
        assert_eq!(age.read(" 7 "), Ok(json!({ "age": 7 })));
        assert!(age.read("seven").is_err());
        let sure = question(json!({ "sure": { "type": "boolean" } }), json!([]));
        assert_eq!(sure.read("yes"), Ok(json!({ "sure": true })));
    }

    #[test]
    fn several_fields_take_lines_or_json_and_nothing_unasked() {
        let both =
            json!({ "a": { "type": "string", "enum": ["x", "y"] }, "b": { "type": "number" } });
        let both = question(both, json!(["a"]));
        assert_eq!(both.read("a: x\nb: 1.5"), Ok(json!({ "a": "x", "b": 1.5 })));
        assert_eq!(both.read(r#"{"a":"y","b":null}"#), Ok(json!({ "a": "y" })));
        assert!(both.read("b: 1").unwrap_err().contains("a is missing"));
        assert!(both.read("a: z").unwrap_err().contains("x, y"));
        assert!(both.read("a: x\nc: 1").unwrap_err().contains('c'));
    }
}
