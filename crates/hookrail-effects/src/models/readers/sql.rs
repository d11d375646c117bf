//! What a text of SQL does.

use crate::act::Act;

/// The worst that the statements of a text do; `None` if there is none.
pub(crate) fn classify(text: &str) -> Option<Act> {
    let plain = without_texts(text);
    plain.split(';').filter_map(statement).max_by_key(|act| match act {
        Act::DbDestroy => 2,
        Act::DbWrite => 1,
        _ => 0,
    })
}

/// The text without comments and quoted texts, which do nothing, in upper case.
fn without_texts(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                while let Some(c) = chars.next() {
                    if c == '\'' && chars.next_if_eq(&'\'').is_none() {
                        break;
                    }
                }
                plain.push_str("''");
            }
            '-' if chars.peek() == Some(&'-') => {
                for c in chars.by_ref() {
                    if c == '\n' {
                        break;
                    }
                }
                plain.push(' ');
            }
            '/' if chars.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                plain.push(' ');
            }
            '\n' => plain.push_str(" \n"),
            c => plain.push(c.to_ascii_uppercase()),
        }
    }
    plain
}

fn statement(text: &str) -> Option<Act> {
    let mut words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',')).filter(|word| !word.is_empty());
    let first = words.next()?;
    let rest: Vec<&str> = words.take(400).collect();
    let has = |word: &str| rest.contains(&word);
    Some(match first {
        "DROP" | "TRUNCATE" | "FLUSHALL" | "FLUSHDB" | "DETACH" => Act::DbDestroy,
        "DELETE" | "UPDATE" if !has("WHERE") => Act::DbDestroy,
        "ALTER" if has("DROP") || has("TRUNCATE") => Act::DbDestroy,
        "WITH" | "EXPLAIN" if has("DELETE") || has("UPDATE") || has("INSERT") || has("DROP") => Act::DbWrite,
        "SELECT" | "SHOW" | "DESCRIBE" | "DESC" | "EXPLAIN" | "PRAGMA" | "WITH" | "VALUES" | "TABLE" | "USE"
        | "SET" | "BEGIN" | "COMMIT" | "ROLLBACK" | "START" | "LIST" | "HELP" => Act::DbRead,
        "DELETE" | "UPDATE" | "INSERT" | "CREATE" | "ALTER" | "GRANT" | "REVOKE" | "MERGE" | "REPLACE" | "COPY"
        | "VACUUM" | "REINDEX" | "COMMENT" | "CALL" | "EXEC" | "EXECUTE" | "DO" | "LOAD" | "IMPORT" | "RENAME"
        | "LOCK" | "ATTACH" => Act::DbWrite,
        word if word.starts_with('\\') || word.starts_with('.') => {
            if has("DROP") {
                Act::DbDestroy
            } else {
                Act::DbRead
            }
        }
        _ => Act::DbRead,
    })
}

/// What is changed by a statement about accounts and what they may do.
pub(crate) const RIGHTS: &str = "accounts and rights";

/// Whether a text changes who may use a database.
pub(crate) fn changes_rights(text: &str) -> bool {
    let plain = without_texts(text);
    plain.split(';').any(|statement| {
        let mut words = statement.split_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let account = matches!(second, "USER" | "ROLE" | "LOGIN" | "GROUP");
        match first {
            "GRANT" | "REVOKE" => true,
            "CREATE" | "ALTER" | "DROP" | "RENAME" => account || second == "OR" && words.any(|word| word == "USER"),
            "SET" => second == "PASSWORD" || second == "ROLE",
            _ => false,
        }
    })
}

/// Whether a text looks like SQL at all.
pub(crate) fn looks_like(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    matches!(
        first.as_str(),
        "SELECT"
            | "INSERT"
            | "UPDATE"
            | "DELETE"
            | "DROP"
            | "ALTER"
            | "CREATE"
            | "TRUNCATE"
            | "WITH"
            | "GRANT"
            | "REVOKE"
            | "PRAGMA"
            | "SHOW"
            | "EXPLAIN"
            | "MERGE"
            | "BEGIN"
    ) && text.contains(' ')
}

/// Whether a statement or a command of a client writes to a file of the machine.
pub(crate) fn writes_files(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let client = ["\\copy ", "\\o ", "\\out ", "\\g ", "\\w "].iter().any(|command| lower.contains(command));
    client
        || ["into outfile", "into dumpfile", "vacuum into", "attach "].iter().any(|words| lower.contains(words))
        || lower.contains("copy ") && lower.contains(" to '")
}

/// The files of the machine that a text reads: commands of a client, and functions.
pub(crate) fn read_files(text: &str) -> Vec<&str> {
    const FUNCTIONS: &[&str] =
        &["readfile(", "load_file(", "pg_read_file(", "pg_read_binary_file(", "read_csv(", "read_text("];
    let of_call = |name: &&str| {
        let (_, rest) = text.split_once(*name)?;
        rest.trim_start().strip_prefix('\'')?.split('\'').next()
    };
    text.lines().filter_map(read_by_client).chain(FUNCTIONS.iter().filter_map(of_call)).collect()
}

/// The file that a command of a client reads.
fn read_by_client(line: &str) -> Option<&str> {
    const COMMANDS: &[&str] = &[".read ", ".import ", ".restore ", ".open ", "\\i ", "\\ir ", "source ", "\\. "];
    let rest = COMMANDS.iter().find_map(|command| line.trim_start().strip_prefix(command))?;
    rest.split_whitespace().find(|word| !word.starts_with('-'))
}

/// Whether a query reads the passwords of a database.
pub(crate) fn reads_secrets(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    [
        "pg_authid",
        "pg_shadow",
        "rolpassword",
        "mysql.user",
        "authentication_string",
        "vault.decrypted_secrets",
        "pg_user_mapping",
    ]
    .iter()
    .any(|name| lower.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_classified_by_what_they_do_and_not_by_what_they_mention() {
        let cases = [
            ("select * from logs where message like '%DROP TABLE%'", Some(Act::DbRead)),
            ("SELECT 1; -- drop table x", Some(Act::DbRead)),
            ("drop table a", Some(Act::DbDestroy)),
            ("BEGIN;\nTRUNCATE users CASCADE;\nCOMMIT;", Some(Act::DbDestroy)),
            ("delete from users", Some(Act::DbDestroy)),
            ("delete from users where id = 1", Some(Act::DbWrite)),
            ("update t set a = 1 where b = 2", Some(Act::DbWrite)),
            ("alter table users drop column email;", Some(Act::DbDestroy)),
            ("alter table users add column email text", Some(Act::DbWrite)),
            ("PRAGMA table_info(users)", Some(Act::DbRead)),
            ("\\d+ orders", Some(Act::DbRead)),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(classify(text), expected, "{text}");
        }
        for text in ["grant all on db.* to 'x'@'%'", "SELECT 1; ALTER USER a SUPERUSER", "create role b login"] {
            assert!(changes_rights(text), "{text}");
        }
        for text in ["select * from grants", "create table roles (id int)", "insert into a values ('GRANT ALL')"] {
            assert!(!changes_rights(text), "{text}");
        }
    }
}
