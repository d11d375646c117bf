//! What variables and the pipeline of PowerShell hold, as far as the text tells.

use super::Operand;

/// So many values one thing may have, and so many variables there may be.
const MAX_VALUES: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Values {
    /// By their names in lower case, with the dollar sign.
    variables: Vec<(String, Vec<Operand>)>,
    /// What the command before gives to the next one; `$_` in a block.
    pub piped: Vec<Operand>,
}

impl Values {
    pub(super) fn set(&mut self, name: &str, mut values: Vec<Operand>) {
        let name = name.to_ascii_lowercase();
        values.truncate(MAX_VALUES);
        self.variables.retain(|(known, _)| *known != name);
        if self.variables.len() < MAX_VALUES {
            self.variables.push((name, values));
        }
    }

    fn get(&self, name: &str) -> Option<&[Operand]> {
        if matches!(name, "$_" | "$psitem") {
            return (!self.piped.is_empty()).then_some(self.piped.as_slice());
        }
        self.variables.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice())
    }

    /// A word with what is known put in; several words if a variable holds several values.
    pub(super) fn expand(&self, word: &Operand) -> Vec<Operand> {
        if !word.expands || !word.text.contains('$') {
            return vec![word.clone()];
        }
        let mut open = vec![(String::new(), word.text.as_str(), false)];
        let mut done = Vec::new();
        while let Some((before, rest, unknown)) = open.pop() {
            let Some(at) = rest.find('$') else {
                done.push(Operand { text: format!("{before}{rest}"), expands: unknown, span: word.span });
                continue;
            };
            let (plain, rest) = rest.split_at(at);
            let (name, behind) = variable(rest);
            match self.get(&name.to_ascii_lowercase()) {
                Some(values) if done.len() + open.len() + values.len() <= MAX_VALUES => {
                    let add =
                        |value: &Operand| (format!("{before}{plain}{}", value.text), behind, unknown || value.expands);
                    open.extend(values.iter().rev().map(add));
                }
                _ => {
                    let written = rest.strip_suffix(behind).unwrap_or(rest);
                    open.push((format!("{before}{plain}{written}"), behind, true));
                }
            }
        }
        done
    }
}

/// The variable at the beginning of a text, as `$name`, and what follows it. `.FullName` and the like of a file are still
/// that file.
fn variable(text: &str) -> (String, &str) {
    let inside = text.trim_start_matches('$');
    let (name, behind) = match inside.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
        Some((name, behind)) => (name, behind),
        None => {
            let end = inside.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':')).unwrap_or(inside.len());
            inside.split_at(end)
        }
    };
    let fields = [".fullname", ".name", ".path", ".pspath"];
    let lower = behind.to_ascii_lowercase();
    let field = fields.iter().find(|field| lower.starts_with(**field)).map_or(0, |field| field.len());
    (format!("${name}"), behind.get(field..).unwrap_or_default())
}
