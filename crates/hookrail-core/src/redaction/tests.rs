use super::{MARK, redact_start, redact_text};
use proptest::prelude::*;

/// Made up at run time, so that no scanner takes this file for a leak.
fn fake(prefix: &str, length: usize) -> String {
    let tail = "4bC8dE2fG6hJ1kL5mN9pQ3rS7tU".chars().cycle();
    format!("{prefix}{}", tail.take(length).collect::<String>())
}

/// `template` holds a secret at `@@`; it is hidden and the rest stays.
fn check(template: &str, secret: &str) {
    let (text, expected) = (template.replace("@@", secret), template.replace("@@", MARK));
    assert_eq!(redact_text(&text), expected);
    assert_eq!(redact_text(&expected), expected, "what is hidden already stays as it is");
}

#[test]
fn the_beginning_of_a_text_is_shown_without_half_a_secret() {
    let key = fake("ghp_", 36);
    for (text, most, expected) in [
        ("short".to_owned(), 5, "short".to_owned()),
        ("longer".to_owned(), 5, "longe…".to_owned()),
        ("ööö".to_owned(), 5, "öö…".to_owned()),
        (format!("use {key} now"), 10, format!("use {MARK}…")),
        (format!("{key} and more"), 200, format!("{MARK} and more")),
        (format!("nothing {key}"), 8, "nothing …".to_owned()),
        (format!("{}{key}", "x ".repeat(600)), 4, "x x …".to_owned()),
    ] {
        assert_eq!(redact_start(&text, most), expected, "{most} of {text}");
    }
}

#[test]
fn keys_of_known_services_are_hidden_wherever_they_stand() {
    let secrets = [
        format!("AKIA{}", "Q3RS7TU1KL5MN9PX"),
        format!("AKIA{}", "QXRSVTUWKLDMNFPX"),
        format!("ASIA{}", "QXRSVTUWKLDMNFPX"),
        fake("ghp_", 36),
        fake("github_pat_", 60),
        fake("sk-ant-api03-", 80),
        fake("sk-proj-", 48),
        fake("AIza", 35),
        fake("xoxb-", 30),
        fake("sk_live_", 24),
        fake("npm_", 36),
        fake("glpat-", 20),
        format!("{}.{}.{}", fake("eyJ", 20), fake("eyJ", 40), fake("", 43)),
        format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", fake("", 200)),
        format!("-----BEGIN OPENSSH PRIVATE KEY-----\\n{}\\n-----END OPENSSH PRIVATE KEY-----", fake("", 200)),
    ];
    for secret in &secrets {
        for template in
            ["@@", "curl -H 'x: @@' https://h/", "a @@ b @@", "f(\"@@\")", "{\"a\":\"@@\"}", "é@@\n", "\\n@@\\n"]
        {
            check(template, secret);
        }
    }
}

#[test]
fn what_a_name_says_is_secret_is_hidden() {
    for template in [
        "PASSWORD=@@ make deploy",
        "export DB_PASS=@@; run",
        "docker run -e MYSQL_ROOT_PASSWORD=@@ mysql",
        "password=\"@@\"",
        "curl -d '{\"password\": \"@@\"}' h",
        "curl -d \"{\\\"password\\\":\\\"@@\\\"}\" h",
        "https://h/?api_key=@@&page=2",
        "tool --password @@ --verbose",
        "tool --api-key=@@",
        "tool --token '@@' x",
        "curl -u name:@@ https://h",
        "curl --user \"name:@@\" https://h",
        "secret: @@\nother: 1",
        "api_key = \"@@\"",
        "os.environ['SECRET_TOKEN'] = '@@'",
        "postgres://name:@@@db.local/x",
        "git clone https://name:@@@example.org/a.git",
        "//registry.example/:_authToken=@@",
    ] {
        check(template, "hunter2");
    }
    for template in
        ["Authorization: @@", "curl -H 'Authorization: @@' h", "curl -H \"cookie: @@\" h", "Proxy-Authorization: @@\nx"]
    {
        check(template, "Basic aHVudGVyMjpodW50ZXIy");
        check(template, "Bearer abc");
    }
    check("say @@ now", &fake("Bearer ", 24));
    check("password = \"@@\" # odd", "a\\\"b");
    check("export PASSWORD='@@'", "$ecret");
    check("vault:\n  - passphrase: @@\n  other: 1", "correct horse battery staple");
}

#[test]
fn a_secret_is_hidden_in_every_form_its_name_can_have() {
    let templates = [
        // Shells and environments
        "PGPASSWORD=@@ psql -h db",
        "MYSQL_PWD=@@ mysql",
        "env DATABASE_PASSWORD=@@ ./run",
        "export PASSWORD=$'@@'",
        "setenv API_TOKEN @@",
        "set -gx GITHUB_TOKEN @@",
        "$env:API_KEY = \"@@\"",
        "ENV NPM_TOKEN @@\nRUN x",
        // Connection strings
        "Server=db;Uid=me;Pwd=@@;Database=x",
        "\"Server=db;User Id=me;Password=@@;\"",
        "pwd=@@",
        // Code
        "'password' => '@@',",
        "\"password\" => \"@@\"",
        ":password => '@@'",
        "let api_key: &str = \"@@\";",
        "const API_KEY: &'static str = \"@@\";",
        "const apiKey: string = '@@'",
        "token: str = \"@@\"",
        "val password: String = \"@@\"",
        "token := \"@@\"",
        "token := `@@`",
        "password = String::from(\"@@\");",
        "secret = Some(\"@@\")",
        "password = r\"@@\"",
        "string password = @\"@@\";",
        "const password = '@@'; next()",
        "{ password: '@@' }",
        "CREATE USER a WITH PASSWORD '@@';",
        "CREATE USER 'a'@'%' IDENTIFIED BY '@@'",
        // Documents
        "password: |\n  @@\nother: 1",
        "a:\n  token: >-\n    @@\n  b: 2",
        "password:\n  @@\nother: 1",
        "- name: DB_PASSWORD\n  value: @@\n",
        "{\"name\": \"DB_PASSWORD\", \"value\": \"@@\"}",
        "<password>@@</password>",
        "<ns:Password type=\"text\">@@</ns:Password>",
        "<secret><![CDATA[@@]]></secret>",
        "<user name=\"a\" password=\"@@\"/>",
        "<add key=\"ApiKey\" value=\"@@\" />",
        "<property name='db.password' value='@@'/>",
        "<entry key=\"db.password\">@@</entry>",
        r#""{\"token\":\"@@\"}""#,
        r#"\"{\\\"token\\\":\\\"@@\\\"}\""#,
        "machine api.example.com login me@example.com password @@",
        "machine h\n  login me\n  password @@\n",
        // Clients
        "mysql -u root -p@@ db",
        "mysqldump -p'@@' db",
        "/usr/bin/mysql --host x -p\"@@\"",
        "docker login -u me -p @@ registry.example",
        "echo x | docker login registry.example -p@@",
        "helm registry login -u me -p @@ h",
        "redis-cli -h x -a @@ ping",
        "redis-cli --pass @@",
        "sqlcmd -S h -U sa -P @@ -Q 'x'",
        "sqlcmd -P@@",
        "mongosh -u me -p @@ h",
        "twine upload -u __token__ -p @@ dist/*",
        "gh secret set NAME --body @@",
        "gh secret set NAME -b '@@'",
        "curl -u me:@@ h",
        "curl -ume:@@ h",
        "curl -b session=@@ h",
        "curl --oauth2-bearer @@ h",
        "http -a me:@@ h",
        "ldapsearch -D cn=x -w @@",
        "sshpass -p @@ ssh h",
        "sshpass -p'@@' ssh h",
        "smbclient -U me%@@ //h/x",
        "openssl rsa -passin pass:@@",
        "plink -pw @@ h",
        "keytool -storepass @@ -list",
        "nuget push a.nupkg -ApiKey @@",
        "npm config set //registry.example/:_authToken @@",
        "aws configure set aws_secret_access_key @@",
        "docker login \\\n  -p @@",
        "kubectl --token=@@ get pods",
        // Addresses and headers
        "https://x-access-token:@@@github.com/a/b",
        "https://h/?access_token=@@&x=1",
        "wss://h/?token=@@",
        "curl -H 'X-Api-Key: @@' h",
        "x-auth-token: @@",
        "PRIVATE-TOKEN: @@",
    ];
    let missed: Vec<String> = templates
        .iter()
        .map(|template| (template.replace("@@", "hunter2"), template.replace("@@", MARK)))
        .filter(|(text, expected)| redact_text(text) != *expected)
        .map(|(text, _)| format!("{text}\n   gives {}", redact_text(&text)))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    templates.iter().for_each(|template| check(template, "hunter2"));
    check("{\"credentials\": {@@}, \"x\": 1}", "\"user\": \"u\", \"pin\": [1, 2]");
    check("https://h/a?X-Amz-Signature=@@", "0a1b2c3d4e5f60718293a4b5c6d7e8f9");
    check("https://@@@sentry.example/1", "0a1b2c3d4e5f60718293a4b5c6d7e8f9");
    check("Server=db;Pwd=@@;x=1", "a&b c(d)|e<f>");
    check("key: |\n  x\nprivate_key: |\n  @@\n\nnext: 1", "line one 1\n  line two 2\n\n  line three");
}

#[test]
fn what_only_looks_like_a_secret_is_left_alone() {
    let texts = [
        "password reset page",
        "token count: 5",
        "let token = parse();",
        "let token = next_token(&mut lexer)?;",
        "self.token = token\nself.password = self.password\n",
        "token := lexer.Next()\npassword := os.Getenv(\"DB_PASSWORD\")",
        "const token = process.env.TOKEN;",
        "tokens.map(token => token.text)",
        "match token { Token::Word => 1, token => 2 }",
        "fn password(&self) -> &str { &self.password }",
        "type Token = String; let x: Token = next();",
        "mkdir -p a/b && ssh -p 22 h && cp -p a b",
        "docker run -p 8080:80 img; psql -p 5432 -U me",
        "mysql -P 3306 -h x; ls -a dir; grep -P pat f",
        "docker login -u me --password-stdin",
        "mysql -u root -p",
        "mysql -p\"$PW\" -h x",
        "git log -p file; tar -P x",
        "PWD=/home/me; pwd=~/x; cd $PWD",
        "pass=1 fail=0",
        "https://me@example.org/a?page=2&key=name",
        "git clone ssh://git@github.com:22/x.git",
        "<password></password><token/>",
        "Vec<Token> <T: Secret>(x) <password>{{ value }}</password>",
        "if a < token && b > token {}",
        "name: DB_HOST\n  value: localhost",
        "secrets: inherit\ntoken: ${{ secrets.GITHUB_TOKEN }}",
        "password:\n  minLength: 8\n",
        "the password is checked by the login page",
        "set the token to nothing",
        "machine learning password tips",
        "password = \"\"",
        "X-Api-Key: $KEY",
        "password: ********",
    ];
    let wrong: Vec<_> = texts.iter().map(|text| redact_text(text)).filter(|shown| shown.contains(MARK)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// If one of these took time that grows with the square of its length, this test would not come back.
#[test]
fn hostile_texts_take_no_longer_than_others() {
    let parts = [
        "token:",
        "token:=",
        "token=>",
        "'token':[",
        "\"token\":{",
        "x-token: $a ",
        "<password><![CDATA[",
        "<a ",
        "(-",
        "-p ",
        "mysql -p ",
        "by '",
        "by ",
        "://",
        "password: |\n ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "eyJ",
        "a@",
        "?key=",
        ";pwd=$a",
        "name: token ",
        "value: ",
        "password ",
        "login a password ",
        "token=\\\"",
        "String::from(",
        "Authorization: $",
        "let token: ",
        "\\",
        "\"",
        "'",
        "é",
        "\n",
        "[redacted]",
        "token: [redacted]",
        "\"token\":{[redacted]",
        "token:$a:",
        "name:name:",
    ];
    for part in parts {
        let text = part.repeat(50_000 / part.len());
        let _ = redact_text(&text);
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "",
        "cargo test --workspace && git push origin main",
        "PASSWORD=$PASSWORD run --token \"$TOKEN\" --password ${PW}",
        "https://example.org/a:b@c?x=1#y",
        "ssh://git@github.com/x.git http://[::1]:80/",
        "if (token == other) { password: string; }",
        "max_tokens: 4096, token_count=17",
        "fn f(token: Token, password: &str) -> Token {}",
        "let key = cache_key(\"x\"); a::b::password::new()",
        "sk-learn-is-a-package-with-long-name",
        "task-1234567890123456789012345678",
        "PWD=/home/me OLDPWD=/ cd -",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
        "password:\npassword=\n--password",
        "echo <your-token> password=<your-password> key={{ token }}",
        "-u a/b:c 12:30:45 a => b",
        "auth Bearer x",
        "password':[redacted]",
        "--[redacted] [redacted]",
        "the token: it is a word",
        "struct A {\n    token: Option<Token>,\n    password: &'a str,\n}",
        "interface A {\n  token: string | null;\n}\ndef f(\n  token: str = None,\n)",
        "curl -H 'Authorization: Bearer $TOKEN' -H \"Authorization: ${AUTH}\" h",
    ] {
        assert_eq!(redact_text(text), text);
    }
}

proptest! {
    #[test]
    fn any_text_is_taken_and_redacting_twice_changes_nothing(
        text in "([a-zA-Z0-9 =:@/'\"\\\\$\n-]|password|token|://|Authorization|--|sk-|eyJ|\\.|é){0,60}",
    ) {
        let once = redact_text(&text).into_owned();
        prop_assert_eq!(redact_text(&once), once.as_str());
    }

    #[test]
    fn arbitrary_text_never_breaks_the_scan(text in any::<String>()) {
        let _ = redact_text(&text);
    }
}
