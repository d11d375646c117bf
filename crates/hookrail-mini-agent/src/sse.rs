use std::io::{self, BufRead};

/// The `data` of server-sent events, one item for each event.
#[derive(Debug)]
pub struct Events<R> {
    reader: R,
}

impl<R: BufRead> Events<R> {
    pub fn new(reader: R) -> Self {
        Self { reader }
    }

    fn next_line(&mut self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        if self.reader.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&bytes);
        Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
    }

    fn next_event(&mut self) -> io::Result<Option<String>> {
        let mut data: Option<String> = None;
        loop {
            match (self.next_line()?.as_deref(), &mut data) {
                // An event that is not closed by an empty line was cut off.
                (None, _) => return Ok(None),
                (Some(""), Some(_)) => return Ok(data),
                (Some(line), data) => {
                    let Some(value) = line.strip_prefix("data:") else { continue };
                    let value = value.strip_prefix(' ').unwrap_or(value);
                    match data {
                        Some(text) => *text = format!("{text}\n{value}"),
                        None => *data = Some(value.to_owned()),
                    }
                }
            }
        }
    }
}

impl<R: BufRead> Iterator for Events<R> {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_event().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_from_their_lines() {
        let cases: [(&str, &[&str]); 9] = [
            ("", &[]),
            ("data: one\n\ndata: two\n\n", &["one", "two"]),
            ("data: one\r\n\r\n", &["one"]),
            ("data:one\n\n", &["one"]),
            ("data: a\ndata: b\n\n", &["a\nb"]),
            (": ping\n\nevent: x\nid: 1\ndata: one\n\n", &["one"]),
            ("\n\n\ndata: one\n\n\n", &["one"]),
            ("data:\n\n", &[""]),
            ("data: one\n\ndata: cut off", &["one"]),
        ];
        for (text, expected) in cases {
            let events: Vec<String> = Events::new(text.as_bytes()).map(|event| event.unwrap()).collect();
            assert_eq!(events, expected, "{text:?}");
        }
    }

    #[test]
    fn a_connection_that_breaks_is_an_error() {
        struct Broken;
        impl io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::ConnectionReset.into())
            }
        }
        let first = Events::new(io::BufReader::new(Broken)).next();
        assert_eq!(first.unwrap().unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    }
}
