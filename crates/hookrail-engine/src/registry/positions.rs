//! Where the parts of a JSON text stand, for all that reads, checks or changes a person's JSON.

use jsonc_parser::common::Ranged;
use jsonc_parser::{ParseOptions, ast};

/// One step from a JSON value into a part of it.
#[derive(Clone, Copy, Debug)]
pub enum PathStep<'a> {
    /// Into the member of an object.
    Key(&'a str),
    /// Into the element of an array, counted from 0.
    Index(usize),
}

/// JSON with comments and trailing commas, and nothing else that is not JSON.
#[must_use]
pub fn commented_json() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The part at `path` and where it begins: at its key, for a member of an object.
#[must_use]
pub fn find<'a, 'text>(root: &'a ast::Value<'text>, path: &[PathStep<'_>]) -> Option<(usize, &'a ast::Value<'text>)> {
    let (mut start, mut value) = (root.start(), root);
    for step in path {
        (start, value) = match (step, value) {
            (PathStep::Key(key), ast::Value::Object(object)) => {
                // The last of several equal keys is the one that counts.
                let member = object.properties.iter().rev().find(|member| member.name.as_str() == *key)?;
                (member.start(), &member.value)
            }
            (PathStep::Index(index), ast::Value::Array(array)) => {
                let element = array.elements.get(*index)?;
                (element.start(), element)
            }
            _ => return None,
        };
    }
    Some((start, value))
}

/// The line and the column of a byte, both from 1; columns are characters.
#[must_use]
pub fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before.get(line_start..).unwrap_or_default().chars().count() + 1)
}
