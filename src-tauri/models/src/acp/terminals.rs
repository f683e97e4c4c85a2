//! Commands that were run for an agent. Each has ended by the time the agent hears of it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::asked::Came;
use super::peer::RpcError;

/// How many are remembered.
const MOST: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Terminals {
    ended: BTreeMap<u64, (String, i64)>,
    last: u64,
}

impl Terminals {
    /// Remembers a command, under the name it gets.
    pub(super) fn add(&mut self, came: &Came) -> String {
        self.last += 1;
        self.ended.insert(self.last, (came.text.clone(), exit_code(came)));
        if self.ended.len() > MOST {
            self.ended.pop_first();
        }
        format!("t{}", self.last)
    }

    /// Answers what is asked about one; `None` for any other method.
    pub(super) fn answer(
        &mut self,
        method: &str,
        params: &Value,
    ) -> Option<Result<Value, RpcError>> {
        let what = method.strip_prefix("terminal/").filter(|what| *what != "create")?;
        let name = params["terminalId"].as_str().unwrap_or_default();
        let number = name.strip_prefix('t').and_then(|number| number.parse().ok());
        let Some((number, (output, code))) =
            number.and_then(|number| Some((number, self.ended.get(&number)?)))
        else {
            return Some(Err(RpcError::refused(format!("there is no terminal {name}"))));
        };
        let status = json!({ "exitCode": code, "signal": null });
        Some(match what {
            "output" => Ok(json!({ "output": output, "truncated": false, "exitStatus": status })),
            "wait_for_exit" => Ok(status),
            "kill" => Ok(json!({})),
            "release" => {
                self.ended.remove(&number);
                Ok(json!({}))
            }
            _ => Err(RpcError::no_method(method)),
        })
    }
}

/// The code a command ended with, as the tool tells it.
fn exit_code(came: &Came) -> i64 {
    let told = came.text.rfind("(exit code ").map(|at| &came.text[at + 11..]);
    let digits = told.and_then(|told| told.split(|c: char| !c.is_ascii_digit()).next());
    match digits.and_then(|digits| digits.parse().ok()) {
        Some(code) if came.failed => code,
        Some(_) | None => i64::from(came.failed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ended_command_can_be_asked_about_until_it_is_released() {
        let mut terminals = Terminals::default();
        let came = Came { text: "oh\n(exit code 3)".to_owned(), failed: true };
        let params = json!({ "terminalId": terminals.add(&came) });
        let mut ask = |method| terminals.answer(method, &params);
        assert_eq!(ask("terminal/create"), None);
        let waited = ask("terminal/wait_for_exit").unwrap().unwrap();
        assert_eq!(waited, json!({ "exitCode": 3, "signal": null }));
        assert_eq!(ask("terminal/output").unwrap().unwrap()["output"], "oh\n(exit code 3)");
        assert_eq!(ask("terminal/release"), Some(Ok(json!({}))));
        assert!(ask("terminal/output").unwrap().is_err());
    }
}
