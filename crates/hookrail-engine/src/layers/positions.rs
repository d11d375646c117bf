use std::cell::OnceCell;

/// Lines and columns of places in a text, without counting from its beginning for each of them.
pub(super) struct Positions<'a> {
    text: &'a str,
    /// Places that were counted to, in order; made when first needed, because most files have nothing to report.
    marks: OnceCell<Vec<KnownPosition>>,
}

#[derive(Clone, Copy)]
struct KnownPosition {
    offset: usize,
    line: u32,
    column: u32,
}

/// How far marks are apart, in bytes.
const DISTANCE: usize = 256;
const START: KnownPosition = KnownPosition { offset: 0, line: 1, column: 1 };

impl<'a> Positions<'a> {
    pub fn of(text: &'a str) -> Self {
        Self { text, marks: OnceCell::new() }
    }

    /// Line and column of a byte, both from 1. A place that is none is the beginning.
    pub fn find(&self, offset: usize) -> (u32, u32) {
        if !self.text.is_char_boundary(offset) {
            return (START.line, START.column);
        }
        let marks = self.marks.get_or_init(|| marks(self.text));
        let before = marks.partition_point(|mark| mark.offset <= offset);
        let mark = before.checked_sub(1).and_then(|last| marks.get(last)).copied().unwrap_or(START);
        let rest = self.text.get(mark.offset..offset).unwrap_or_default();
        let end = rest.chars().fold(mark, KnownPosition::behind);
        (end.line, end.column)
    }
}

impl KnownPosition {
    fn behind(self, c: char) -> Self {
        let offset = self.offset + c.len_utf8();
        match c {
            '\n' => Self { offset, line: self.line.saturating_add(1), column: 1 },
            _ => Self { offset, column: self.column.saturating_add(1), ..self },
        }
    }
}

fn marks(text: &str) -> Vec<KnownPosition> {
    let mut marks = vec![START];
    let mut next = DISTANCE;
    text.chars().fold(START, |mark, c| {
        let mark = mark.behind(c);
        if mark.offset >= next {
            marks.push(mark);
            next = mark.offset + DISTANCE;
        }
        mark
    });
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_the_line_and_column_that_counting_gives() {
        let text = "é = 1\n\nlong = \"ü\"\n".repeat(100) + &"x".repeat(1000);
        let positions = Positions::of(&text);
        let (mut line, mut column) = (1, 1);
        for (offset, c) in text.char_indices() {
            assert_eq!(positions.find(offset), (line, column), "{offset}");
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        assert_eq!(positions.find(text.len()), (line, column));
        assert_eq!(positions.find(text.len() + 1), (1, 1));
        assert_eq!(positions.find(1), (1, 1), "in the middle of a character");
    }
}
