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

/// Functions by their last name, sorted.
const CALLS: &[(&str, Does)] = &[
    ("$", Does::Shell),
    ("$executeRaw", Does::Sql),
    ("$executeRawUnsafe", Does::Sql),
    ("BZ2File", Does::Open),
    ("Deno.Command", Does::Spawn),
    ("FTP", Does::Connect),
    ("FileHandler", Does::WriteArgument),
    ("Function", Does::Code),
    ("GzipFile", Does::Open),
    ("HTTPConnection", Does::Connect),
    ("HTTPSConnection", Does::Connect),
    ("NamedTemporaryFile", Does::WriteNamed("dir")),
    ("Popen", Does::Spawn),
    ("RotatingFileHandler", Does::WriteArgument),
    ("SMTP", Does::Connect),
    ("SMTP_SSL", Does::Connect),
    ("TarFile", Does::Open),
    ("TemporaryDirectory", Does::WriteNamed("dir")),
    ("URI.open", Does::Fetch),
    ("ZipFile", Does::Open),
    ("appendFile", Does::Write),
    ("appendFileSync", Does::Write),
    ("basicConfig", Does::WriteNamed("filename")),
    ("capture2", Does::Spawn),
    ("capture2e", Does::Spawn),
    ("capture3", Does::Spawn),
    ("chdir", Does::Folder),
    ("check_call", Does::Spawn),
    ("check_output", Does::Spawn),
    ("children", Does::List),
    ("chmod", Does::Permissions),
    ("chmodSync", Does::Permissions),
    ("chmod_R", Does::Permissions),
    ("chown", Does::Permissions),
    ("chownSync", Does::Permissions),
    ("class_eval", Does::Code),
    ("connect", Does::Connect),
    ("copyFile", Does::Link),
    ("copyFileSync", Does::Link),
    ("copySync", Does::Link),
    ("copy_stream", Does::Link),
    ("cpSync", Does::Link),
    ("cp_r", Does::Link),
    ("createConnection", Does::Connect),
    ("createReadStream", Does::Read),
    ("createWriteStream", Does::Write),
    ("create_connection", Does::Connect),
    ("create_subprocess_exec", Does::Spawn),
    ("create_subprocess_shell", Does::Shell),
    ("curl_init", Does::Fetch),
    ("del", Does::DeleteTree),
    ("deleteSync", Does::DeleteTree),
    ("emptyDir", Does::DeleteTree),
    ("emptyDirSync", Does::DeleteTree),
    ("emptydirSync", Does::DeleteTree),
    ("eval", Does::Code),
    ("execFile", Does::Spawn),
    ("execFileSync", Does::Spawn),
    ("execSync", Does::Shell),
    ("exec_command", Does::Remote),
    ("execa", Does::Spawn),
    ("execaCommand", Does::Shell),
    ("execaCommandSync", Does::Shell),
    ("execaSync", Does::Spawn),
    ("execl", Does::Exec),
    ("execle", Does::Exec),
    ("execlp", Does::Exec),
    ("execlpe", Does::Exec),
    ("execute", Does::Sql),
    ("executescript", Does::Sql),
    ("execv", Does::Exec),
    ("execve", Does::Exec),
    ("execvp", Does::Exec),
    ("execvpe", Does::Exec),
    ("extractall", Does::Unpack),
    ("fetch", Does::Fetch),
    ("file_get_contents", Does::Read),
    ("file_put_contents", Does::Write),
    ("fork", Does::Fork),
    ("fputs", Does::Content),
    ("fsockopen", Does::Connect),
    ("ftruncate", Does::Content),
    ("fwrite", Does::Content),
    ("getline", Does::Read),
    ("getlines", Does::Read),
    ("getoutput", Does::Shell),
    ("getstatusoutput", Does::Shell),
    ("getstore", Does::FetchInto),
    ("glob", Does::Glob),
    ("globSync", Does::Glob),
    ("globby", Does::Glob),
    ("hardlink_to", Does::LinkHere),
    ("highlight_file", Does::Read),
    ("iglob", Does::Glob),
    ("instance_eval", Does::Code),
    ("iterdir", Does::List),
    ("killpg", Does::Kill),
    ("lchmod", Does::Permissions),
    ("link", Does::Link),
    ("linkSync", Does::Link),
    ("listdir", Does::List),
    ("ln_s", Does::Link),
    ("ln_sf", Does::Link),
    ("make_archive", Does::WriteArgument),
    ("makedirs", Does::Write),
    ("mirror", Does::FetchInto),
    ("mkdir", Does::Write),
    ("mkdirSync", Does::Write),
    ("mkdir_p", Does::Write),
    ("mkdtemp", Does::WriteNamed("dir")),
    ("mkdtempSync", Does::WriteArgument),
    ("mkfifo", Does::WriteArgument),
    ("mknod", Does::WriteArgument),
    ("mkstemp", Does::WriteNamed("dir")),
    ("move", Does::Move),
    ("moveSync", Does::Move),
    ("mv", Does::Move),
    ("openSync", Does::Open),
    ("outputFile", Does::Write),
    ("outputFileSync", Does::Write),
    ("outputJson", Does::Write),
    ("outputJsonSync", Does::Write),
    ("parse_ini_file", Does::Read),
    ("passthru", Does::Shell),
    ("pcntl_exec", Does::Spawn),
    ("popen", Does::Shell),
    ("popen2", Does::Spawn),
    ("popen2e", Does::Spawn),
    ("popen3", Does::Spawn),
    ("posix_kill", Does::Kill),
    ("posix_spawn", Does::Exec),
    ("posix_spawnp", Does::Exec),
    ("proc_open", Does::Shell),
    ("query", Does::Sql),
    ("readFile", Does::Read),
    ("readFileSync", Does::Read),
    ("readLines", Does::Read),
    ("readTextFile", Does::Read),
    ("readTextFileSync", Does::Read),
    ("read_bytes", Does::Read),
    ("read_csv", Does::Read),
    ("read_text", Does::Read),
    ("readdir", Does::List),
    ("readdirSync", Does::List),
    ("readfile", Does::Read),
    ("readlines", Does::Read),
    ("removeSync", Does::DeleteTree),
    ("remove_dir", Does::DeleteTree),
    ("remove_entry", Does::DeleteTree),
    ("remove_entry_secure", Does::DeleteTree),
    ("remove_file", Does::Delete),
    ("remove_tree", Does::DeleteTree),
    ("removedirs", Does::DeleteTree),
    ("rename", Does::Move),
    ("renameSync", Does::Move),
    ("renames", Does::Move),
    ("replaceFile", Does::Move),
    ("rimraf", Does::DeleteTree),
    ("rimrafSync", Does::DeleteTree),
    ("rmSync", Does::DeleteTree),
    ("rm_f", Does::Delete),
    ("rm_r", Does::DeleteTree),
    ("rm_rf", Does::DeleteTree),
    ("rmdir", Does::Delete),
    ("rmdirSync", Does::DeleteTree),
    ("rmtree", Does::DeleteTree),
    ("runInNewContext", Does::Code),
    ("runInThisContext", Does::Code),
    ("safe_unlink", Does::Delete),
    ("save", Does::Save),
    ("savefig", Does::WriteArgument),
    ("savetxt", Does::WriteArgument),
    ("savez", Does::WriteArgument),
    ("scandir", Does::List),
    ("send", Does::Content),
    ("send_message", Does::Send),
    ("sendall", Does::Content),
    ("sendmail", Does::Send),
    ("serve_forever", Does::Listen),
    ("shell_exec", Does::Shell),
    ("spawn", Does::Spawn),
    ("spawnSync", Does::Spawn),
    ("spawnl", Does::Exec),
    ("spawnle", Does::Exec),
    ("spawnlp", Does::Exec),
    ("spawnlpe", Does::Exec),
    ("spawnv", Does::Exec),
    ("spawnve", Does::Exec),
    ("spawnvp", Does::Exec),
    ("spawnvpe", Does::Exec),
    ("storbinary", Does::Send),
    ("symlink", Does::Link),
    ("symlinkSync", Does::Link),
    ("symlink_to", Does::LinkHere),
    ("system2", Does::Spawn),
    ("to_csv", Does::WriteArgument),
    ("to_excel", Does::WriteArgument),
    ("to_feather", Does::WriteArgument),
    ("to_html", Does::WriteArgument),
    ("to_json", Does::WriteArgument),
    ("to_parquet", Does::WriteArgument),
    ("to_pickle", Does::WriteArgument),
    ("touch", Does::Write),
    ("truncateSync", Does::Delete),
    ("unlink", Does::Delete),
    ("unlinkSync", Does::Delete),
    ("unpack_archive", Does::UnpackInto),
    ("urlopen", Does::Fetch),
    ("urlretrieve", Does::FetchInto),
    ("write", Does::Content),
    ("writeFile", Does::Write),
    ("writeFileSync", Does::Write),
    ("writeJson", Does::Write),
    ("writeJsonSync", Does::Write),
    ("writeLines", Does::Write),
    ("writeTextFile", Does::Write),
    ("writeTextFileSync", Does::Write),
    ("write_bytes", Does::Write),
    ("write_file", Does::Write),
    ("write_text", Does::Write),
    ("writelines", Does::Content),
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
    let find = |name: &str| CALLS.binary_search_by(|(known, _)| (*known).cmp(name)).ok();
    let does = find(last).or_else(|| find(name)).and_then(|at| CALLS.get(at)).map(|(_, does)| *does)?;
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

#[cfg(test)]
mod tests {
    use super::CALLS;

    #[test]
    fn functions_are_sorted() {
        assert!(CALLS.is_sorted_by(|(one, _), (two, _)| one < two));
    }
}
