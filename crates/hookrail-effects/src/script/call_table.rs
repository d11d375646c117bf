//! Which functions of scripting languages do something: a row for each.

use super::Language;

/// What a call does to the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Delete,
    DeleteTree,
    Write,
    Read,
    Move,
    Permissions,
    Link,
    /// What it is called on becomes a link.
    LinkHere,
    /// The names in a folder are read.
    List,
    /// A file is opened; the mode is the second argument.
    Open,
    Shell,
    /// A list of words, or a text, or words as arguments.
    Spawn,
    /// A program, and its words with the name that it is told first, as a list or as arguments.
    Exec,
    Fetch,
    Send,
    Connect,
    /// Its argument is code.
    Code,
    Kill,
    Sql,
    Fork,
    Listen,
    /// The working directory changes.
    Folder,
    /// An archive is unpacked into a folder.
    Unpack,
    /// The same, with the folder as second argument.
    UnpackInto,
    /// A file is opened with flags such as `O_WRONLY`.
    OpenByFlags,
    /// A path is opened; the mode is the first argument.
    OpenMethod,
    /// The first argument is written, whatever it is called on.
    WriteArgument,
    /// Whichever argument is a text is written.
    Save,
    /// The named argument is a file or folder that is written.
    WriteNamed(&'static str),
    /// Written if `inplace` is given, read otherwise.
    EditInPlace,
    /// A file that is a database.
    Database,
    /// Something is fetched into a file.
    FetchInto,
    /// A path's method with one argument; a text's has two.
    PathReplace,
    /// A pattern is matched against the tree.
    Glob,
    /// Something is written to what is open.
    Content,
    /// A text is run by a shell of another machine.
    Remote,
}

impl Does {
    /// Reports whether the call is about files by their names.
    fn changes_files(self) -> bool {
        matches!(
            self,
            Self::Delete
                | Self::DeleteTree
                | Self::Write
                | Self::Move
                | Self::Permissions
                | Self::Link
                | Self::List
                | Self::Read
                | Self::Glob
        )
    }

    /// Reports whether something goes over the network.
    pub(super) fn is_network(self) -> bool {
        matches!(self, Self::Fetch | Self::Send | Self::Connect | Self::Listen | Self::FetchInto)
    }

    /// Reports whether the path is an argument even of a method.
    pub(super) fn ignores_receiver(self) -> bool {
        matches!(
            self,
            Self::WriteArgument
                | Self::Save
                | Self::WriteNamed(_)
                | Self::Unpack
                | Self::UnpackInto
                | Self::OpenByFlags
                | Self::Database
                | Self::FetchInto
                | Self::Spawn
                | Self::Exec
                | Self::Shell
        )
    }
}

/// Functions by their last name; those of one language stand with it.
const CALLS: &[(&str, Does)] = &[
    ("rmtree", Does::DeleteTree),
    ("removedirs", Does::DeleteTree),
    ("rm_rf", Does::DeleteTree),
    ("rm_r", Does::DeleteTree),
    ("remove_dir", Does::DeleteTree),
    ("remove_tree", Does::DeleteTree),
    ("rmSync", Does::DeleteTree),
    ("rmdirSync", Does::DeleteTree),
    ("rimraf", Does::DeleteTree),
    ("rimrafSync", Does::DeleteTree),
    ("removeSync", Does::DeleteTree),
    ("emptyDirSync", Does::DeleteTree),
    ("emptyDir", Does::DeleteTree),
    ("del", Does::DeleteTree),
    ("deleteSync", Does::DeleteTree),
    ("unlink", Does::Delete),
    ("unlinkSync", Does::Delete),
    ("rmdir", Does::Delete),
    ("safe_unlink", Does::Delete),
    ("truncateSync", Does::Delete),
    ("write_text", Does::Write),
    ("write_bytes", Does::Write),
    ("writeFile", Does::Write),
    ("writeFileSync", Does::Write),
    ("appendFile", Does::Write),
    ("appendFileSync", Does::Write),
    ("createWriteStream", Does::Write),
    ("outputFile", Does::Write),
    ("outputFileSync", Does::Write),
    ("outputJson", Does::Write),
    ("writeJson", Does::Write),
    ("writeJsonSync", Does::Write),
    ("file_put_contents", Does::Write),
    ("mkdir", Does::Write),
    ("makedirs", Does::Write),
    ("mkdirSync", Does::Write),
    ("mkdir_p", Does::Write),
    ("writeTextFile", Does::Write),
    ("writeTextFileSync", Does::Write),
    ("touch", Does::Write),
    ("to_csv", Does::WriteArgument),
    ("to_json", Does::WriteArgument),
    ("to_excel", Does::WriteArgument),
    ("to_parquet", Does::WriteArgument),
    ("to_pickle", Does::WriteArgument),
    ("to_feather", Does::WriteArgument),
    ("to_html", Does::WriteArgument),
    ("savefig", Does::WriteArgument),
    ("savetxt", Does::WriteArgument),
    ("savez", Does::WriteArgument),
    ("FileHandler", Does::WriteArgument),
    ("RotatingFileHandler", Does::WriteArgument),
    ("mkfifo", Does::WriteArgument),
    ("mknod", Does::WriteArgument),
    ("make_archive", Does::WriteArgument),
    ("mkdtempSync", Does::WriteArgument),
    ("save", Does::Save),
    ("basicConfig", Does::WriteNamed("filename")),
    ("mkstemp", Does::WriteNamed("dir")),
    ("mkdtemp", Does::WriteNamed("dir")),
    ("NamedTemporaryFile", Does::WriteNamed("dir")),
    ("TemporaryDirectory", Does::WriteNamed("dir")),
    ("writeLines", Does::Write),
    ("copyFile", Does::Link),
    ("copyFileSync", Does::Link),
    ("cpSync", Does::Link),
    ("copySync", Does::Link),
    ("cp_r", Does::Link),
    ("openSync", Does::Open),
    ("read_text", Does::Read),
    ("read_bytes", Does::Read),
    ("readFile", Does::Read),
    ("readFileSync", Does::Read),
    ("createReadStream", Does::Read),
    ("file_get_contents", Does::Read),
    ("readfile", Does::Read),
    ("parse_ini_file", Does::Read),
    ("highlight_file", Does::Read),
    ("readlines", Does::Read),
    ("getline", Does::Read),
    ("getlines", Does::Read),
    ("readTextFile", Does::Read),
    ("readTextFileSync", Does::Read),
    ("read_csv", Does::Read),
    ("readLines", Does::Read),
    ("readdirSync", Does::List),
    ("listdir", Does::List),
    ("iterdir", Does::List),
    ("scandir", Does::List),
    ("move", Does::Move),
    ("rename", Does::Move),
    ("renameSync", Does::Move),
    ("moveSync", Does::Move),
    ("renames", Does::Move),
    ("mv", Does::Move),
    ("replaceFile", Does::Move),
    ("chmod", Does::Permissions),
    ("chmodSync", Does::Permissions),
    ("chown", Does::Permissions),
    ("chownSync", Does::Permissions),
    ("chmod_R", Does::Permissions),
    ("lchmod", Does::Permissions),
    ("symlink", Does::Link),
    ("symlinkSync", Does::Link),
    ("symlink_to", Does::LinkHere),
    ("link", Does::Link),
    ("linkSync", Does::Link),
    ("ln_s", Does::Link),
    ("ln_sf", Does::Link),
    ("hardlink_to", Does::LinkHere),
    ("execSync", Does::Shell),
    ("check_output", Does::Spawn),
    ("check_call", Does::Spawn),
    ("Popen", Does::Spawn),
    ("popen", Does::Shell),
    ("shell_exec", Does::Shell),
    ("passthru", Does::Shell),
    ("proc_open", Does::Shell),
    ("getoutput", Does::Shell),
    ("getstatusoutput", Does::Shell),
    ("spawn", Does::Spawn),
    ("spawnSync", Does::Spawn),
    ("execFile", Does::Spawn),
    ("execFileSync", Does::Spawn),
    ("execa", Does::Spawn),
    ("execaSync", Does::Spawn),
    ("execv", Does::Exec),
    ("execvp", Does::Exec),
    ("execve", Does::Exec),
    ("execvpe", Does::Exec),
    ("execl", Does::Exec),
    ("execlp", Does::Exec),
    ("execle", Does::Exec),
    ("execlpe", Does::Exec),
    ("spawnl", Does::Exec),
    ("spawnv", Does::Exec),
    ("spawnlp", Does::Exec),
    ("spawnvp", Does::Exec),
    ("spawnle", Does::Exec),
    ("spawnve", Does::Exec),
    ("spawnlpe", Does::Exec),
    ("spawnvpe", Does::Exec),
    ("posix_spawn", Does::Exec),
    ("posix_spawnp", Does::Exec),
    ("pcntl_exec", Does::Spawn),
    ("Deno.Command", Does::Spawn),
    ("capture2", Does::Spawn),
    ("capture3", Does::Spawn),
    ("create_subprocess_shell", Does::Shell),
    ("create_subprocess_exec", Does::Spawn),
    ("system2", Does::Spawn),
    ("$", Does::Shell),
    ("urlopen", Does::Fetch),
    ("urlretrieve", Does::FetchInto),
    ("fetch", Does::Fetch),
    ("curl_init", Does::Fetch),
    ("URI.open", Does::Fetch),
    ("connect", Does::Connect),
    ("create_connection", Does::Connect),
    ("createConnection", Does::Connect),
    ("fsockopen", Does::Connect),
    ("sendmail", Does::Send),
    ("eval", Does::Code),
    ("Function", Does::Code),
    ("runInThisContext", Does::Code),
    ("runInNewContext", Does::Code),
    ("instance_eval", Does::Code),
    ("class_eval", Does::Code),
    ("glob", Does::Glob),
    ("iglob", Does::Glob),
    ("globSync", Does::Glob),
    ("globby", Does::Glob),
    ("readdir", Does::List),
    ("children", Does::List),
    ("write", Does::Content),
    ("writelines", Does::Content),
    ("sendall", Does::Content),
    ("send", Does::Content),
    ("fwrite", Does::Content),
    ("fputs", Does::Content),
    ("killpg", Does::Kill),
    ("posix_kill", Does::Kill),
    ("remove_entry", Does::DeleteTree),
    ("remove_entry_secure", Does::DeleteTree),
    ("rm_f", Does::Delete),
    ("remove_file", Does::Delete),
    ("ftruncate", Does::Content),
    ("getstore", Does::FetchInto),
    ("mirror", Does::FetchInto),
    ("HTTPSConnection", Does::Connect),
    ("HTTPConnection", Does::Connect),
    ("SMTP", Does::Connect),
    ("SMTP_SSL", Does::Connect),
    ("FTP", Does::Connect),
    ("send_message", Does::Send),
    ("storbinary", Does::Send),
    ("copy_stream", Does::Link),
    ("capture2e", Does::Spawn),
    ("popen2", Does::Spawn),
    ("popen2e", Does::Spawn),
    ("popen3", Does::Spawn),
    ("execaCommand", Does::Shell),
    ("execaCommandSync", Does::Shell),
    ("exec_command", Does::Remote),
    ("write_file", Does::Write),
    ("outputJsonSync", Does::Write),
    ("emptydirSync", Does::DeleteTree),
    ("fork", Does::Fork),
    ("executescript", Does::Sql),
    ("execute", Does::Sql),
    ("$executeRawUnsafe", Does::Sql),
    ("$executeRaw", Does::Sql),
    ("query", Does::Sql),
    ("serve_forever", Does::Listen),
    ("chdir", Does::Folder),
    ("extractall", Does::Unpack),
    ("unpack_archive", Does::UnpackInto),
    ("ZipFile", Does::Open),
    ("GzipFile", Does::Open),
    ("BZ2File", Does::Open),
    ("TarFile", Does::Open),
];

/// Calls that mean something only with the module before them, or only in one language.
fn qualified(language: Language, name: &str) -> Option<Does> {
    let (module, last) = name.rsplit_once('.').unwrap_or(("", name));
    let module = module.rsplit('.').next().unwrap_or(module);
    // What a function returns counts as what it is named after; a value of which nothing is known has no name.
    let module = if module.len() > 2 { module.trim_end_matches("()") } else { module };
    Some(match (language, module, last) {
        (Language::Python, "memory database", _) => return None,
        (_, "os" | "process" | "Process" | "Deno", "kill") | (Language::Perl, "", "kill") => Does::Kill,
        (Language::Python, _, "kill" | "terminate" | "suspend" | "send_signal") if name.contains("psutil") => {
            Does::Kill
        }
        (Language::Python, "wget", "download") => Does::FetchInto,
        (
            Language::JavaScript,
            "rimraf" | "del",
            "sync" | "native" | "nativeSync" | "manual" | "deleteSync" | "deleteAsync",
        ) => Does::DeleteTree,
        (Language::JavaScript, "glob" | "fg" | "fast-glob", "sync") => Does::Glob,
        (Language::JavaScript, "shelljs" | "shell", "rm") => Does::DeleteTree,
        (Language::JavaScript, "shelljs" | "shell", "exec") => Does::Shell,
        (Language::JavaScript, "promises" | "fs" | "fs-extra", "rmdir") => Does::DeleteTree,
        (Language::JavaScript, "fs-extra", "remove" | "emptyDir") => Does::DeleteTree,
        (Language::JavaScript, "http" | "https", "request") => Does::Fetch,
        (
            Language::JavaScript,
            "Bun" | "Deno" | "child_process",
            "spawn" | "spawnSync" | "run" | "fork" | "Command",
        ) => Does::Spawn,
        (Language::Python, "Connection", "run" | "sudo") => Does::Remote,
        (Language::Ruby, "Dir", "children" | "entries" | "each_child" | "foreach") => Does::List,
        (Language::Ruby, "Dir", "[]") => Does::Glob,
        (Language::Ruby, "TCPSocket" | "UDPSocket", "new" | "open") => Does::Connect,
        (Language::Ruby, "HTTParty" | "Faraday" | "RestClient" | "Excon", "get") => Does::Fetch,
        (Language::Ruby, "HTTParty" | "Faraday" | "RestClient" | "Excon", "post" | "put" | "patch") => Does::Send,
        (Language::Ruby, "", "open") if name.starts_with("open") => Does::Open,
        (Language::Ruby, "", "delete" | "write" | "binwrite") if name.starts_with("()") => return None,
        (Language::Perl, "INET" | "SSL", "new") => Does::Connect,
        (Language::Perl, _, "get" | "head") if name == "get" || name.contains("LWP") || name.contains("HTTP") => {
            Does::Fetch
        }
        (Language::Perl, _, "post" | "put" | "request") if name.contains("LWP") || name.contains("HTTP") => Does::Send,
        (Language::Php, _, "get") if name.contains("Guzzle") || name.contains("Client") => Does::Fetch,
        (Language::Php, _, "post" | "put" | "request") if name.contains("Guzzle") || name.contains("Client") => {
            Does::Send
        }
        (Language::Php, "", "curl_setopt") => return None,
        (Language::Python, _, "get" | "head") if is_client(name) => Does::Fetch,
        (Language::Python, _, "post" | "put" | "patch" | "delete" | "request") if is_client(name) => Does::Send,
        (Language::Python, "os" | "shutil" | "", "remove") => Does::Delete,
        (Language::Python, "os", "system") | (_, "", "system") | (_, "Kernel", "system" | "exec" | "spawn") => {
            Does::Shell
        }
        (Language::Python, "os", "truncate") => Does::Delete,
        (Language::Python, "subprocess" | "sp" | "s", "run" | "call") => Does::Spawn,
        (
            Language::Python,
            "" | "io" | "codecs" | "builtins" | "gzip" | "bz2" | "lzma" | "tarfile" | "shelve" | "dbm",
            "open",
        ) if !name.starts_with('.') => Does::Open,
        (Language::Python, "os", "open") => Does::OpenByFlags,
        (Language::Python, _, "open") => Does::OpenMethod,
        (Language::Python, "fileinput", "input" | "FileInput") => Does::EditInPlace,
        (Language::Python, "sqlite3" | "aiosqlite" | "duckdb", "connect") => Does::Database,
        (Language::JavaScript, "Bun", "write") => Does::Write,
        (Language::JavaScript, "fs" | "fsp" | "promises", "open") => Does::Open,
        (Language::Python, "os", "replace") => Does::Move,
        (Language::Python, _, "replace") => Does::PathReplace,
        (Language::Python, "shutil", "copy" | "copy2" | "copyfile" | "copytree")
        | (_, "fs" | "fsp" | "promises" | "FileUtils", "cp") => Does::Link,
        (Language::Python, "", "exec") => Does::Code,
        (Language::Python, "", "run") => Does::Spawn,
        (Language::Python, "requests" | "httpx" | "session", "get" | "head" | "options") => Does::Fetch,
        (Language::Python, "requests" | "httpx" | "session", "post" | "put" | "patch" | "delete" | "request") => {
            Does::Send
        }
        (Language::JavaScript, "fs" | "fsp" | "promises" | "fsExtra" | "fse" | "", "rm" | "remove") => Does::DeleteTree,
        (Language::JavaScript, "Deno", "remove" | "removeSync") => Does::DeleteTree,
        (Language::JavaScript, "child_process" | "cp" | "", "exec") => Does::Shell,
        (Language::JavaScript, "axios" | "http" | "https" | "got" | "superagent", "get") => Does::Fetch,
        (
            Language::JavaScript,
            "axios" | "http" | "https" | "got" | "superagent",
            "post" | "put" | "patch" | "delete" | "request",
        ) => Does::Send,
        (Language::JavaScript, "net" | "tls", "connect") => Does::Connect,
        (Language::JavaScript, _, "listen") => Does::Listen,
        (Language::Perl, "", "exec") | (Language::Ruby, "", "exec" | "spawn") | (Language::Php, "", "exec") => {
            Does::Shell
        }
        (Language::Perl, "", "open") => Does::Open,
        (Language::Perl, "", "copy" | "cp") | (Language::Php, "", "copy") => Does::Link,
        (Language::Perl, "", "truncate") | (Language::Ruby, "File", "truncate") => Does::Delete,
        (Language::Ruby, "File" | "FileUtils" | "Dir", "delete" | "rm" | "rm_f") => Does::Delete,
        (Language::Ruby, "File" | "IO" | "", "open") => Does::Open,
        (Language::Ruby, "File" | "IO", "write" | "binwrite") => Does::Write,
        (Language::Ruby, "File" | "IO", "read" | "foreach" | "binread" | "readlines") => Does::Read,
        (Language::Ruby, "HTTP", "get") => Does::Fetch,
        (Language::Ruby, "HTTP", "post" | "post_form") => Does::Send,
        (Language::Php, "", "fopen") => Does::Open,
        (Language::Lua, "os", "remove") => Does::Delete,
        (Language::Lua, "os", "execute") => Does::Shell,
        (Language::Lua, "io", "open") => Does::Open,
        (Language::R, "", "unlink") | (Language::R, "file", "remove") => Does::DeleteTree,
        _ => return None,
    })
}

/// Reports whether a name is of a client for the web.
fn is_client(name: &str) -> bool {
    ["requests", "httpx", "aiohttp", "urllib3", "http.client", "HTTPSConnection", "HTTPConnection", "Session()"]
        .iter()
        .any(|known| name.contains(known))
}

/// What a function does, by its name with the module before it.
pub(super) fn lookup(language: Language, name: &str) -> Option<Does> {
    if let Some(does) = qualified(language, name) {
        return Some(does);
    }
    let last = name.rsplit('.').next().unwrap_or(name);
    let does = CALLS.iter().find(|(known, _)| *known == last || *known == name).map(|(_, does)| *does)?;
    // A value that a function returned has methods of its own with such names: `frame.rename(…)`, `rectangle.move(…)`.
    let is_value = name.contains("()") || name.contains("[]");
    let fits = !is_value || !does.changes_files() || is_path_method(language, last);
    fits.then_some(does)
}

/// Reports whether paths of a language have such a method.
pub(super) fn is_path_method(language: Language, method: &str) -> bool {
    let python = matches!(
        method,
        "unlink"
            | "rmdir"
            | "write_text"
            | "write_bytes"
            | "touch"
            | "mkdir"
            | "chmod"
            | "lchmod"
            | "rename"
            | "replace"
            | "symlink_to"
            | "hardlink_to"
            | "read_text"
            | "read_bytes"
            | "open"
            | "iterdir"
    );
    // A text or a list has `delete`, and anything that is open has `write`.
    let ruby =
        matches!(method, "unlink" | "rmdir" | "rmtree" | "mkpath" | "mkdir" | "chmod" | "rename" | "make_symlink");
    match language {
        Language::Python => python,
        Language::Ruby => ruby,
        _ => false,
    }
}
