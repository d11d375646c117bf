use super::{Member, Node, Shape, SyntaxError};
use hookrail_engine::registry::positions::commented_json;
use jsonc_parser::ast::Value;
use jsonc_parser::common::{Range as JsonRange, Ranged};
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, parse_to_ast};
use std::ops::Range;

/// What a text has beyond plain JSON, at its first occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looseness {
    pub comment: Option<Range<usize>>,
    pub trailing_comma: Option<Range<usize>>,
    pub byte_order_mark: Option<Range<usize>>,
}

/// Comments and trailing commas are granted here and told in the [`Looseness`]; nothing else is.
pub fn read(text: &str) -> Result<(Node, Looseness), SyntaxError> {
    let body = text.trim_start_matches('\u{feff}');
    let offset = text.len() - body.len();
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let parsed = parse_to_ast(body, &collect, &commented_json()).map_err(|error| syntax_error(&error, offset))?;
    let mut looseness = looseness(&parsed.tokens.unwrap_or_default(), offset);
    looseness.byte_order_mark = (offset > 0).then_some(0..offset);
    let root = parsed.value.as_ref().map_or_else(|| nothing(text), |value| node(value, offset));
    Ok((root, looseness))
}

fn nothing(text: &str) -> Node {
    Node { span: 0..text.len().min(1), value: Shape::Null }
}

fn syntax_error(error: &ParseError, offset: usize) -> SyntaxError {
    let message = match error.kind() {
        ParseErrorKind::UnterminatedObject => "this object has no `}`".to_owned(),
        ParseErrorKind::UnterminatedArray => "this list has no `]`".to_owned(),
        ParseErrorKind::ExpectedComma => "a comma is missing here".to_owned(),
        ParseErrorKind::SingleQuotedStringsNotAllowed => "text stands in double quotes".to_owned(),
        ParseErrorKind::ExpectedStringObjectProperty => "a key stands in double quotes".to_owned(),
        ParseErrorKind::ExpectedColonAfterObjectKey => "a key is followed by a colon".to_owned(),
        ParseErrorKind::MultipleRootJsonValues => "the file is over before this".to_owned(),
        ParseErrorKind::NestingDepthExceeded => "this is nested too deeply".to_owned(),
        kind => lower_first(&kind.to_string()),
    };
    SyntaxError { span: moved(error.range(), offset), message }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn looseness(tokens: &[jsonc_parser::tokens::TokenAndRange<'_>], offset: usize) -> Looseness {
    let mut found = Looseness::default();
    let mut last_comma: Option<Range<usize>> = None;
    for token in tokens {
        let span = moved(token.range, offset);
        match token.token {
            Token::CommentLine(_) | Token::CommentBlock(_) => {
                found.comment.get_or_insert(span);
                continue;
            }
            Token::CloseBrace | Token::CloseBracket => {
                if let Some(comma) = last_comma.take() {
                    found.trailing_comma.get_or_insert(comma);
                }
            }
            _ => {}
        }
        last_comma = matches!(token.token, Token::Comma).then(|| moved(token.range, offset));
    }
    found
}

fn node(value: &Value<'_>, offset: usize) -> Node {
    let shape = match value {
        Value::StringLit(text) => Shape::Text(text.value.clone().into_owned()),
        Value::NumberLit(number) => Shape::Number(number.value.parse().unwrap_or(f64::NAN)),
        Value::BooleanLit(flag) => Shape::Flag(flag.value),
        Value::NullKeyword(_) => Shape::Null,
        Value::Array(list) => Shape::List(list.elements.iter().map(|item| node(item, offset)).collect()),
        Value::Object(object) => Shape::Table(
            object
                .properties
                .iter()
                .map(|member| Member {
                    key: member.name.as_str().to_owned(),
                    key_span: moved(member.name.range(), offset),
                    value: node(&member.value, offset),
                })
                .collect(),
        ),
    };
    Node { span: moved(value.range(), offset), value: shape }
}

fn moved(range: JsonRange, offset: usize) -> Range<usize> {
    range.start + offset..range.end + offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_their_bytes() {
        let text = "\u{feff}{\"hooks\": {\"Stop\": [1, true, null]}}";
        let (root, looseness) = read(text).unwrap();
        let stop = root.get(&["hooks"]).unwrap().member("Stop").unwrap();
        assert_eq!(&text[stop.key_span.clone()], "\"Stop\"");
        assert_eq!(&text[stop.value.span.clone()], "[1, true, null]");
        assert_eq!(looseness.byte_order_mark, Some(0..3));
    }

    #[test]
    fn comments_and_trailing_commas_are_read_and_told() {
        let cases = [
            ("{\"a\": [1]}", None, None),
            ("{ // why\n \"a\": 1 }", Some("// why"), None),
            ("{\"a\": 1 /* x */, }", Some("/* x */"), Some(",")),
            ("{\"a\": [1, /* x */ ]}", Some("/* x */"), Some(",")),
            ("{\"a\": \"// no, ]\"}", None, None),
        ];
        for (text, comment, comma) in cases {
            let (_, looseness) = read(text).unwrap();
            let shown = |span: &Option<Range<usize>>| span.clone().map(|span| text[span].to_owned());
            assert_eq!(shown(&looseness.comment).as_deref(), comment, "{text}");
            assert_eq!(shown(&looseness.trailing_comma).as_deref(), comma, "{text}");
        }
    }

    #[test]
    fn text_that_is_not_json_is_an_error_with_its_place() {
        let cases = [
            ("{\"a\": 1", 0, "this object has no `}`"),
            ("{\"a\": 1 \"b\": 2}", 7, "a comma is missing here"),
            ("{'a': 1}", 1, "text stands in double quotes"),
            ("{a: 1}", 1, "a key stands in double quotes"),
            ("{} {}", 3, "the file is over before this"),
        ];
        for (text, start, message) in cases {
            let error = read(text).unwrap_err();
            assert_eq!((error.span.start, error.message.as_str()), (start, message), "{text}");
        }
    }
}
