//! Makes valid bash scripts from the grammar. The programs in them are `c0` to `c99`, each at most once in a script, so
//! that a name says which command it is. They run nothing else, and write only to files `f0` to `f3`.

use super::random::Random;

/// How many names of programs there are.
pub const PROGRAMS: usize = 100;

/// What is around a substitution. Within backticks, backslashes before double quotes are removed only directly between
/// double quotes; process substitutions are only expanded outside.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Nothing,
    Quotes,
    /// `${}`, or a here-document.
    Braces,
}

pub struct Generator {
    random: Random,
    out: String,
    /// Lines of here-documents that belong behind the next newline.
    bodies: String,
    programs: usize,
    depth: usize,
    documents: usize,
    functions: usize,
    no_documents: bool,
}

pub fn script(seed: u64) -> String {
    let mut generator = Generator {
        random: Random::new(seed),
        out: String::new(),
        bodies: String::new(),
        programs: 0,
        depth: 0,
        documents: 0,
        functions: 0,
        no_documents: false,
    };
    let items = 1 + generator.random.below(2);
    generator.list(items);
    generator.end_bodies();
    generator.out
}

impl Generator {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn one_of(&mut self, choices: &[&str]) {
        let text = *self.random.pick(choices);
        self.put(text);
    }

    fn newline(&mut self) {
        self.put("\n");
        let bodies = std::mem::take(&mut self.bodies);
        self.put(&bodies);
    }

    fn end_bodies(&mut self) {
        if !self.bodies.is_empty() {
            self.newline();
        }
    }

    /// One of several texts between words. Here-documents begin behind a newline in it.
    fn lines(&mut self, choices: &[&str]) {
        let text = *self.random.pick(choices);
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.newline();
            }
            self.put(line);
        }
    }

    /// What stands between two words.
    fn blank(&mut self) {
        self.one_of(&[" ", " ", " ", " ", "  ", "\t", " \\\n "]);
    }

    /// What stands between two commands.
    fn separator(&mut self) {
        match self.random.below(6) {
            0 => self.newline(),
            1 => {
                self.put(" # it's a `comment` $( \"");
                self.newline();
            }
            2 => self.put("; "),
            3 => self.put(" ;"),
            4 => {
                self.put(";");
                self.newline();
            }
            _ => self.put(" & "),
        }
    }

    fn linebreak(&mut self) {
        match self.random.below(8) {
            0 => self.newline(),
            1 => {
                self.put(" # ) } fi");
                self.newline();
            }
            _ => self.put(" "),
        }
    }

    fn list(&mut self, items: usize) {
        for index in 0..items {
            if index > 0 {
                self.separator();
            }
            self.item();
        }
    }

    /// A list within something, with the separator that a reserved word needs before it.
    fn inner_list(&mut self) {
        self.depth += 1;
        self.linebreak();
        let items = 1 + usize::from(self.random.one_in(3));
        self.list(items);
        self.separator();
        self.depth -= 1;
    }

    fn item(&mut self) {
        self.pipeline();
        while self.random.one_in(4) {
            self.one_of(&[" && ", " || ", "&&", "||"]);
            self.linebreak();
            self.pipeline();
        }
    }

    fn pipeline(&mut self) {
        if self.random.one_in(12) {
            self.one_of(&["! ", "! ", "time ", "time -p ", "! ! "]);
        }
        self.command();
        while self.random.one_in(6) {
            self.one_of(&[" | ", "|", " |& "]);
            self.linebreak();
            self.command();
        }
    }

    fn command(&mut self) {
        if self.depth >= 3 || self.random.below(10) < 5 + 2 * self.depth {
            return self.simple();
        }
        match self.random.below(13) {
            0 => self.wrapped("{", "}"),
            1 => self.subshell(),
            2 => self.if_command(),
            3 => self.loop_command(),
            4 => self.for_command(),
            5 => self.case_command(),
            6 => self.function(),
            7 => self.test_command(),
            8 => self.arithmetic_command(),
            9 => self.c_for(),
            10 => {
                self.put("select x in a; do");
                self.inner_list();
                self.put("done </dev/null");
            }
            11 => {
                self.put("coproc ");
                self.subshell();
            }
            _ => self.wrapped("{", "}"),
        }
        if self.random.one_in(5) {
            self.redirect();
        }
    }

    fn wrapped(&mut self, open: &str, close: &str) {
        self.put(open);
        self.inner_list();
        self.put(close);
    }

    fn subshell(&mut self) {
        // Two parentheses together may be arithmetic, for which bash looks without knowing of here-documents.
        if self.out.ends_with('(') {
            self.put(" ");
        }
        self.one_of(&["(", "( "]);
        self.depth += 1;
        let items = 1 + usize::from(self.random.one_in(3));
        self.list(items);
        self.depth -= 1;
        self.one_of(&[")", " )"]);
    }

    fn if_command(&mut self) {
        self.put("if");
        self.inner_list();
        self.put("then");
        self.inner_list();
        while self.random.one_in(3) {
            self.put("elif");
            self.inner_list();
            self.put("then");
            self.inner_list();
        }
        if self.random.one_in(2) {
            self.put("else");
            self.inner_list();
        }
        self.put("fi");
    }

    fn loop_command(&mut self) {
        self.one_of(&["while", "until"]);
        self.inner_list();
        self.put("do");
        self.inner_list();
        self.lines(&["break; done", "break\ndone"]);
    }

    fn for_command(&mut self) {
        self.lines(&["for x in", "for x\nin", "for y_1 in"]);
        for _ in 0..self.random.below(3) {
            self.blank();
            self.word();
        }
        self.one_of(&[";", " ;"]);
        if self.random.one_in(6) {
            self.put(" ");
            return self.wrapped("{", "}");
        }
        self.put(" do");
        self.inner_list();
        self.put("done");
    }

    fn c_for(&mut self) {
        self.put("for ((i=0; i<");
        self.arithmetic();
        self.one_of(&["; i++)); do", "; i+=1)) do", "; i++ )); do"]);
        self.inner_list();
        self.put("break; done");
    }

    fn case_command(&mut self) {
        self.put("case ");
        self.word();
        self.lines(&[" in", " in\n", "\nin "]);
        for _ in 0..self.random.below(4) {
            self.lines(&[" ", "\n", " ("]);
            self.pattern();
            while self.random.one_in(3) {
                self.one_of(&["|", " | "]);
                self.pattern();
            }
            self.one_of(&[")", " )"]);
            if self.random.one_in(5) {
                self.put(" ");
            } else {
                self.depth += 1;
                self.linebreak();
                self.list(1);
                self.depth -= 1;
            }
            self.end_bodies();
            self.lines(&[";;", " ;;\n", ";&", ";;&"]);
        }
        self.lines(&[" esac", "\nesac"]);
    }

    fn pattern(&mut self) {
        self.one_of(&["*", "a*", "[a-c]?", "'x y'", "\"$x\"", "b", "\\*", "[!x]", "[[:alpha:]]"]);
    }

    fn function(&mut self) {
        // Of one name there is one function: otherwise one could call itself without end.
        let number = self.functions;
        self.functions += 1;
        if self.random.one_in(2) {
            self.put(&format!("function g{number} {{"));
        } else {
            self.put(&format!("g{number}"));
            self.lines(&["() {", " () {", "()\n{"]);
        }
        self.inner_list();
        self.put(&format!("}}; g{number}"));
        if self.random.one_in(2) {
            self.blank();
            self.word();
        }
    }

    fn test_command(&mut self) {
        self.put("[[ ");
        self.condition(2);
        self.put(" ]]");
    }

    fn condition(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 5 } else { 9 }) {
            0 => self.word(),
            1 => {
                self.one_of(&["-n ", "-z ", "-f ", "-d "]);
                self.word();
            }
            2 => {
                self.word();
                self.one_of(&[" == ", " = ", " != ", " < ", " > "]);
                self.word();
            }
            3 => {
                self.word();
                self.one_of(&[" == @(a|b c)*", " != +([0-9])", " == ?(x)y", " == *.!(c)"]);
            }
            4 => {
                self.word();
                self.one_of(&[" =~ ^(a|b c)+$", " =~ a|b", " =~ [[:digit:]]{2}", " =~ \"x y\".*"]);
            }
            5 => {
                self.put("! ");
                self.condition(depth - 1);
            }
            6 => {
                self.put("( ");
                self.condition(depth - 1);
                self.put(" )");
            }
            _ => {
                self.condition(depth - 1);
                self.lines(&[" && ", " || ", " &&\n", " ||\n"]);
                self.condition(depth - 1);
            }
        }
    }

    fn arithmetic_command(&mut self) {
        self.put("((");
        self.arithmetic();
        self.put("))");
    }

    fn arithmetic(&mut self) {
        match self.random.below(6) {
            0 => self.put("1 + 2"),
            1 => self.put(" (1 + 2) * 3 "),
            2 => self.put("x << 1 | 4"),
            3 => {
                // Not more than a program: bash looks for the end of arithmetic without reading the commands in it.
                self.put("0$(");
                self.program();
                self.put(")");
            }
            4 => self.put("${x:-3}"),
            _ => self.put("x ? 1 : ( y > 2 )"),
        }
    }

    fn simple(&mut self) {
        while self.random.one_in(10) {
            self.assignment();
            self.put(" ");
        }
        if self.random.one_in(25) {
            return self.assignment();
        }
        if self.random.one_in(12) {
            self.redirect();
            self.put(" ");
        }
        self.program();
        for _ in 0..self.random.below(3) {
            self.blank();
            self.word();
        }
        while self.random.one_in(6) {
            self.redirect();
        }
    }

    fn program(&mut self) {
        if self.programs >= PROGRAMS {
            return self.put(":");
        }
        let name = format!("c{}", self.programs);
        self.programs += 1;
        match self.random.below(12) {
            0 => self.put(&format!("'{name}'")),
            1 => self.put(&format!("\"{name}\"")),
            2 => self.put(&format!("\\{name}")),
            3 => self.put(&format!("c\\\n{}", &name[1..])),
            4 => self.put(&format!("c''{}", &name[1..])),
            5 => self.put(&format!("$'\\x63{}'", &name[1..])),
            _ => self.put(&name),
        }
    }

    fn assignment(&mut self) {
        self.one_of(&["x=", "y_1=", "x+=", "z[1]=", "z[x + 1]="]);
        if self.random.one_in(8) {
            return;
        }
        self.word();
    }

    fn redirect(&mut self) {
        match self.random.below(12) {
            0 => self.put(" 2>&1"),
            1 => self.put(" >&2"),
            2 => self.put(" &> f2"),
            3 => self.put(" &>>f3"),
            4 => self.put(" 3>| f0"),
            5 => self.put(" {fd}> f1"),
            6 => {
                self.put(" <<< ");
                self.word();
            }
            7 | 8 if !self.no_documents => self.here_document(),
            9 => self.put(" </dev/null"),
            10 => self.put(" 4<&0 4<&-"),
            _ => self.one_of(&[" >f0", " >> \"f1\"", " 2>/dev/null"]),
        }
    }

    fn here_document(&mut self) {
        let name = format!("E{}", self.documents);
        self.documents += 1;
        let (strip, indent) = if self.random.one_in(3) { ("-", "\t") } else { ("", "") };
        let quoted = self.random.one_in(2);
        let delimiter =
            if quoted { self.random.pick(&["'#'", "\"#\"", "\\#"]).replace('#', &name) } else { name.clone() };
        self.put(&format!(" <<{strip}{delimiter}"));
        let mut body = String::new();
        for _ in 0..self.random.below(3) {
            body.push_str(indent);
            if quoted {
                body.push_str("it's $(c \" `\n");
            } else {
                body.push_str("it's \" ");
                let inner = self.apart(|generator| generator.double_part(Around::Braces));
                body.push_str(&inner);
                body.push('\n');
            }
        }
        self.bodies.push_str(&format!("{body}{indent}{name}\n"));
    }

    /// What `make` writes, without writing it.
    fn apart(&mut self, make: impl FnOnce(&mut Self)) -> String {
        let out = std::mem::take(&mut self.out);
        let bodies = std::mem::take(&mut self.bodies);
        self.depth += 1;
        make(self);
        self.end_bodies();
        self.depth -= 1;
        self.bodies = bodies;
        std::mem::replace(&mut self.out, out)
    }

    fn word(&mut self) {
        for _ in 0..1 + self.random.below(2) {
            self.part();
        }
    }

    fn part(&mut self) {
        match self.random.below(16) {
            0..=4 => self.one_of(&["a", "b-1", "./x", "é", "a.b", "k=v", "a,b", "%", "x:y", "q@w", "1"]),
            5 => self.one_of(&["'x y'", "''", "'\"'", "'$(no)'", "'a\nb'", "'\\'"]),
            6 | 7 => {
                self.put("\"");
                for _ in 0..self.random.below(3) {
                    self.double_part(Around::Quotes);
                }
                self.put("\"");
            }
            8 => self.one_of(&["\\ ", "\\$", "\\\"", "\\'", "\\\\", "\\;", "\\*", "a\\\nb", "\\{", "\\`"]),
            9 => self.one_of(&["$x", "$1", "$@", "$#", "${x}", "${#x}", "${!x}", "${x[0]}", "$?", "${x@Q}"]),
            10 => self.one_of(&["$'a\\tb'", "$'it\\'s'", "$'\\x41\\102'", "$\"loc\"", "$'\\u00e9'"]),
            11 => self.substitution(Around::Nothing),
            12 => self.parameter(false),
            13 => self.one_of(&["{a,b}", "{1..3}", "{a", "b}", "{}", "x{,y}", "{a,{b,c}}"]),
            14 => {
                self.put("$((");
                self.arithmetic();
                self.put("))");
            }
            _ => self.one_of(&["*.none", "n?ne", "[a-c]none", "~", "a~", "[", "x]", "a#"]),
        }
    }

    /// What may stand between double quotes.
    fn double_part(&mut self, around: Around) {
        match self.random.below(8) {
            0 | 1 => self.one_of(&["a b", "it's", "; | & (", "#", "\\$x", "\\\\", "\\`", "{a,b} * ~", "\\n"]),
            2 => self.one_of(&["$x", "${x}", "$1", "${x[@]}", "${#x}", "$"]),
            3 | 4 => self.substitution(around),
            5 => self.parameter(true),
            6 => self.put("$((1 + (2)))"),
            _ => self.put("\\\n"),
        }
    }

    fn parameter(&mut self, quoted: bool) {
        self.one_of(&["${x", "${y_1", "${z[1]", "${1"]);
        self.one_of(&[":-", "-", ":+", "+", ":=", "#", "##", "%", "/", "//", "^^"]);
        if self.out.ends_with("{1:=") {
            self.out.truncate(self.out.len() - 2);
            self.put("-");
        }
        match self.random.below(4) {
            0 => self.put("a b"),
            1 => self.put("\"q r\""),
            2 if !quoted => self.put("'}'"),
            2 => self.put("\\}"),
            _ => self.substitution(Around::Braces),
        }
        self.put("}");
    }

    /// What runs in a substitution. bash 5.2 prints what it read and reads that again, and loses a `;` behind a
    /// here-document when it does; so a here-document stands there with one program alone.
    fn substituted(&mut self) {
        if self.random.one_in(6) {
            self.program();
            return self.here_document();
        }
        let outer = std::mem::replace(&mut self.no_documents, true);
        self.list(1);
        self.no_documents = outer;
    }

    fn substitution(&mut self, around: Around) {
        if self.depth >= 3 || self.random.below(3) < self.depth {
            return self.put("$x");
        }
        let inner = self.apart(Self::substituted);
        let inner = if inner.starts_with('(') { format!(" {inner}") } else { inner };
        match self.random.below(5) {
            0 | 1 => self.put(&format!("$({inner})")),
            2 => self.put(&format!("$( {inner}\n)")),
            3 if around == Around::Nothing && !self.out.ends_with(['<', '>', '(']) => self.put(&format!("<({inner})")),
            _ => {
                let mut escaped = inner.replace('\\', "\\\\").replace('`', "\\`").replace('$', "\\$");
                if around == Around::Quotes {
                    escaped = escaped.replace('"', "\\\"");
                }
                self.put(&format!("`{escaped}`"));
            }
        }
    }
}
