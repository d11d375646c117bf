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
    let removes = |word: &str| first == word || first == "WITH" && has(word);
    if (removes("DELETE") || removes("UPDATE")) && takes_all(text, first == "WITH") {
        return Some(Act::DbDestroy);
    }
    Some(match first {
        "DROP" | "TRUNCATE" | "FLUSHALL" | "FLUSHDB" | "DETACH" => Act::DbDestroy,
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

/// Reports whether the condition of a statement holds for every row, or there is none.
fn takes_all(text: &str, has_common_tables: bool) -> bool {
    let conditions: Vec<&str> = text.split("WHERE").skip(1).collect();
    let Some(last) = conditions.last() else { return true };
    let condition = last.split("RETURNING").next().unwrap_or(last);
    let plain: String = condition.chars().filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')')).collect();
    let is_true = |part: &str| {
        matches!(part, "TRUE" | "1" | "NOTFALSE" | "''=''")
            || part.split_once('=').is_some_and(|(one, two)| one == two && !one.is_empty())
    };
    let with_or = condition.split(" OR ").count() > 1;
    let any = condition.split(" OR ").any(|part| {
        is_true(&part.chars().filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')')).collect::<String>())
    });
    // The rows of a common table that has no condition itself are all of them.
    let from_all = has_common_tables
        && conditions.len() == 1
        && condition.contains(" IN ")
        && condition.contains("SELECT")
        && !text.contains("LIMIT");
    is_true(&plain) || with_or && any || from_all
}

/// Reports whether a text is nothing but a statement that changes something, and no prose that begins like one.
pub(crate) fn is_statement(text: &str) -> bool {
    let plain = without_texts(text);
    let first = plain.split(';').find(|statement| !statement.trim().is_empty()).unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().take(12).collect();
    let is_name = |at: usize| {
        words
            .get(at)
            .is_some_and(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '"' | '`' | '[')))
    };
    let ends = |at: usize, clauses: &[&str]| {
        words.get(at).is_none_or(|word| clauses.contains(word) || word.starts_with(['(', ',']))
    };
    const OBJECTS: &[&str] = &[
        "TABLE",
        "SCHEMA",
        "DATABASE",
        "VIEW",
        "INDEX",
        "FUNCTION",
        "TYPE",
        "SEQUENCE",
        "USER",
        "ROLE",
        "EXTENSION",
        "TRIGGER",
    ];
    match words.as_slice() {
        ["DROP", object, "IF", "EXISTS", ..] => OBJECTS.contains(object) && is_name(4),
        ["DROP", object, ..] => OBJECTS.contains(object) && is_name(2) && ends(3, &["CASCADE", "RESTRICT"]),
        ["DELETE", "FROM", ..] => is_name(2) && ends(3, &["WHERE", "USING", "RETURNING", "AS", "LIMIT"]),
        ["TRUNCATE", "TABLE", ..] => is_name(2) && ends(3, &["CASCADE", "RESTRICT", "RESTART"]),
        ["TRUNCATE", ..] => is_name(1) && ends(2, &["CASCADE", "RESTRICT", "RESTART"]),
        ["UPDATE", _, "SET", ..] => first.contains('='),
        ["ALTER", object, ..] => OBJECTS.contains(object) && is_name(2),
        ["INSERT", "INTO", ..] => is_name(2) && (first.contains("VALUES") || first.contains("SELECT")),
        ["WITH", _, "AS", ..] => first.contains('('),
        ["GRANT" | "REVOKE", ..] => first.contains(" ON ") || first.contains(" TO ") || first.contains(" FROM "),
        _ => false,
    }
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
    let plain;
    let text = if text.trim_start().starts_with(['-', '/', '(', '#']) {
        plain = without_texts(text);
        plain.trim_start_matches(|c: char| c.is_whitespace() || c == '(')
    } else {
        text
    };
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
            ("delete from users where 1=1", Some(Act::DbDestroy)),
            ("delete from users where true returning id", Some(Act::DbDestroy)),
            ("delete from users where id = 7 or 1 = 1", Some(Act::DbDestroy)),
            ("update users set a = 1 where (2 = 2)", Some(Act::DbDestroy)),
            ("delete from users where id = 7 or name = 'b'", Some(Act::DbWrite)),
            ("/* x */ with a as (select id from o) delete from o where id in (select id from a)", Some(Act::DbDestroy)),
            (
                "with a as (select id from o where id < 9) delete from o where id in (select id from a)",
                Some(Act::DbWrite),
            ),
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
        for text in ["drop table users", "-- x\nTRUNCATE TABLE a", "delete from a where b = 1", "update a set b = 1"] {
            assert!(is_statement(text), "{text}");
        }
        for text in
            ["drop table vs truncate", "delete from a list in python", "update set of tests", "truncate long names"]
        {
            assert!(!is_statement(text), "{text}");
        }
        for text in ["select * from grants", "create table roles (id int)", "insert into a values ('GRANT ALL')"] {
            assert!(!changes_rights(text), "{text}");
        }
    }
}
