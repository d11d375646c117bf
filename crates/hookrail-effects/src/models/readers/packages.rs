//! Package managers, and the scripts of `package.json`, `Makefile` and their relatives.

use super::{ProgramReader, Reading, data, workspaces};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::location::Location;
use crate::models::apply::GivenOption;
use crate::models::rows_of;
use crate::models::usage::{self, OptionUse};
use crate::object::Object;
use crate::shell::{self, Scope};
use std::path::PathBuf;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "npm" => npm,
        "npm_run" => run_script,
        "npm_config" => npm_config,
        "package_file" => package_file,
        "quiet" => quiet,
        "yarn" | "install" => install,
        "npx" => npx,
        "cargo_build" => cargo_build,
        "system_install" => system_install,
        "dpkg" => dpkg,
        "pacman" => pacman,
        "make" => super::make::make,
        "just" => super::make::just,
        "ninja" => super::make::ninja,
        "cmake" => cmake,
        "rake" => rake,
        "maven" => maven,
        "mix" => mix,
        "artisan" => artisan,
        "django" => django,
        "java" => java,
        _ => return None,
    })
}

/// A word that is no command of the package manager is a script or a program of the project.
fn npm(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.operands.is_empty() {
        if matches!(r.call.program.as_str(), "yarn") {
            r.act(Act::PackageInstall, None);
        }
        return Flow::default();
    }
    let recursive = r.call.args.iter().any(|arg| matches!(arg.text.as_str(), "-r" | "--recursive"));
    if recursive && r.parsed.operands.len() == 1 {
        return run_script(r);
    }
    run_script(r)
}

/// It prints something; what it writes is only what its options name.
fn quiet(r: &mut Reading<'_, '_, '_>) -> Flow {
    write_options(r);
    Flow::unknown(Taint::NONE)
}

/// Something is installed: from where, and what.
fn install(r: &mut Reading<'_, '_, '_>) -> Flow {
    let global = r.parsed.has(&["-g", "--global"]);
    let index =
        r.parsed.value(&["-i", "--index-url", "--extra-index-url", "--registry", "--index", "--source", "-s"]).cloned();
    let git = r.parsed.value(&["--git"]).cloned();
    let url = index.as_ref().or(git.as_ref()).map(|arg| arg.text.clone());
    let mut packages: Vec<Arg> = r.parsed.operands.clone();
    packages.extend(r.parsed.values(&["-e", "--editable"]).cloned());
    for file in r.parsed.values(&["-r", "-c", "--requirement"]).cloned().collect::<Vec<_>>() {
        r.touch(Act::FsRead, &file, Extent::Single);
    }
    if r.parsed.dry {
        return Flow::default();
    }
    write_options(r);
    let place = if global { Location::System } else { Location::Remote };
    if packages.is_empty() {
        let object = object(None, url.as_deref());
        r.analysis.add(Act::PackageInstall, object, place, crate::effect::Sure::Certain, r.call.span);
    }
    for package in packages {
        let local = package.text.starts_with('.') || package.text.starts_with('/');
        let from = url.clone().or_else(|| source(&package.text).map(str::to_owned));
        let object = object(Some(&package.text), if local { None } else { from.as_deref() });
        let place = if local { Location::Project } else { place };
        r.analysis.add(Act::PackageInstall, object, place, crate::effect::Sure::Certain, package.span);
    }
    Flow::default()
}

/// Folders and files that options name as what is written.
fn write_options(r: &mut Reading<'_, '_, '_>) {
    let written = |option: &GivenOption| match option.meaning {
        OptionUse::Value("D") => Some((option.value.clone()?, Extent::Below)),
        OptionUse::Value("w") => Some((option.value.clone()?, Extent::Single)),
        _ => None,
    };
    for (target, extent) in r.parsed.options.iter().filter_map(written).collect::<Vec<_>>() {
        r.touch(Act::FsWrite, &target, extent);
    }
}

fn object(package: Option<&str>, url: Option<&str>) -> Object {
    Object {
        package: package.map(Into::into),
        url: url.map(Into::into),
        host: url.and_then(super::host_of).map(Into::into),
        ..Object::default()
    }
}

/// The URL of a package that does not come from a registry.
fn source(package: &str) -> Option<&str> {
    let url = package.split_once(" @ ").map_or(package, |(_, url)| url);
    let url = url.trim_start_matches("git+");
    (url.contains("://") || url.starts_with("git@") || url.starts_with("github:")).then_some(url)
}

/// Scripts of a package that run when it is installed.
fn runs_on_install(key: &str) -> bool {
    let name = key.strip_prefix("scripts.").unwrap_or_default();
    matches!(name, "preinstall" | "install" | "postinstall" | "preuninstall" | "postuninstall" | "prepublish")
}

/// `npm pkg set scripts.x=…` writes the file of the package.
fn package_file(r: &mut Reading<'_, '_, '_>) -> Flow {
    let settings: Vec<Arg> = r.parsed.operands.iter().skip(1).cloned().collect();
    if !matches!(r.first(), "set" | "delete" | "fix") {
        return Flow::unknown(Taint::NONE);
    }
    let file = Arg::new("package.json", r.call.span);
    r.touch(Act::FsWrite, &file, Extent::Single);
    for setting in settings {
        let key = setting.text.split('=').next().unwrap_or_default();
        if runs_on_install(key) {
            r.act(Act::HostPersist, Some(key));
        }
    }
    Flow::default()
}

fn npm_config(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<String> = r.call.args.iter().map(|arg| arg.text.clone()).collect();
    if words.iter().any(|word| word == "set")
        && words
            .iter()
            .any(|word| word.contains("registry") || word.contains("ignore-scripts") || word.contains("index-url"))
    {
        r.act(Act::HostPersist, Some("package registry"));
    }
    Flow::unknown(Taint::NONE)
}

/// `npx program …`: a program with a model is followed; another one is fetched and run.
fn npx(r: &mut Reading<'_, '_, '_>) -> Flow {
    if let Some(text) = r.parsed.value(&["-c", "--call"]).cloned() {
        return r.run_text(&text);
    }
    let package = r.parsed.value(&["--from", "--spec", "-p", "--package"]).map(|package| package.text.clone());
    if let Some(url) = package.as_deref().and_then(source) {
        r.act(Act::ExecRemote, Some(url));
    }
    let skip = r
        .call
        .args
        .iter()
        .take_while(|arg| arg.text != "exec" && arg.text != "dlx" && arg.text != "x" && arg.text != "run")
        .count();
    let from = if matches!(r.call.program.as_str(), "npx" | "bunx" | "uvx") { 0 } else { skip + 1 };
    let mut at = from;
    while let Some(arg) = r.call.args.get(at) {
        match arg.text.as_str() {
            "-p" | "--package" | "--from" | "--with" | "--spec" | "--python" => at += 2,
            text if text.starts_with('-') => at += 1,
            _ => break,
        }
    }
    let mut command: Vec<Arg> = r.call.args.iter().skip(at).cloned().collect();
    let Some(first) = command.first_mut() else { return Flow::default() };
    let named = first.text.clone();
    let program = named.rsplit_once('@').filter(|(name, _)| !name.is_empty()).map_or(named.as_str(), |(name, _)| name);
    let program = match program {
        "@biomejs/biome" => "biome",
        "@playwright/test" => "playwright",
        "@angular/cli" => "ng",
        other => other,
    };
    if rows_of(program, &[]).is_empty() {
        let object = Object { package: Some(named.as_str().into()), ..Object::default() };
        let from_url = source(&named).is_some();
        r.object(Act::PackageInstall, object);
        if from_url {
            r.act(Act::ExecRemote, Some(&named));
        }
        r.act(Act::ExecRun, Some(&named));
        let rest: Vec<Arg> = command.iter().skip(1).cloned().collect();
        r.analysis.give(&named, &rest, r.shell.cwd.as_deref());
        return r.mixed();
    }
    first.text = program.to_owned();
    r.run(command)
}

/// A script of `package.json`, which is a shell text.
pub(super) fn run_script(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let (mut at, mut name) = (0, String::new());
    while let Some(word) = usage::next_operand(r.rows, &args, &mut at) {
        if !matches!(word.text.as_str(), "run" | "run-script" | "workspace") {
            name.clone_from(&word.text);
            break;
        }
    }
    let name = match name.as_str() {
        "t" | "tst" => "test".to_owned(),
        _ => name,
    };
    if name.is_empty() {
        return Flow::unknown(Taint::NONE);
    }
    r.act(script_act(&name), Some(&name));
    if let Some(folder) = r.parsed.value(&["--prefix", "-C", "--dir", "--cwd"]).cloned() {
        r.shell.cwd = shell::folder(r.analysis, r.shell, &folder);
    }
    let here = r.shell.cwd.clone();
    for folder in workspaces::chosen(r, &args) {
        r.shell.cwd = Some(folder);
        run_in_order(r, &name, &args);
    }
    r.shell.cwd = here;
    Flow::unknown(Taint::NONE)
}

/// Runs a script of `package.json` with those that belong before and behind it.
fn run_in_order(r: &mut Reading<'_, '_, '_>, name: &str, args: &[Arg]) {
    let scripts = workspaces::package(r);
    let text_of = |name: &str| Some(scripts.as_ref()?.get("scripts")?.get(name)?.as_str()?.to_owned());
    let Some(mut text) = text_of(name) else { return };
    // What stands behind `--` is given to the script's last command.
    for more in args.iter().skip_while(|arg| arg.text != "--").skip(1) {
        text.push(' ');
        text.push_str(&shell::quote(more));
    }
    let around = |prefix: &str| Some((format!("{prefix}{name}"), text_of(&format!("{prefix}{name}"))?));
    let (before, behind) = (around("pre"), around("post"));
    for (name, text) in before.into_iter().chain([(name.to_owned(), text)]).chain(behind) {
        let span = r.call.span;
        r.analysis.within(&format!("package.json: {name}"), |analysis| {
            shell::run_text(analysis, r.shell, &text, Scope::Child, Some(span), &Flow::default())
        });
    }
}

/// What a script is for, by its name.
fn script_act(name: &str) -> Act {
    let tests = [
        "test",
        "lint",
        "check",
        "typecheck",
        "type-check",
        "e2e",
        "spec",
        "coverage",
        "verify",
        "ci",
        "audit",
        "unit",
        "integration",
    ];
    let first = name.split([':', '-', '.']).next().unwrap_or_default();
    if tests.contains(&first) || tests.contains(&name) || name.split([':', '-']).any(|word| tests.contains(&word)) {
        Act::ExecTest
    } else {
        Act::ExecBuild
    }
}

/// A file of the working directory or of a folder above it, in the project.
pub(super) fn upward(r: &Reading<'_, '_, '_>, name: &str) -> Option<PathBuf> {
    let cwd = r.shell.cwd.as_deref()?;
    let inside = cwd.ancestors().take(12).take_while(|folder| folder.starts_with(&r.analysis.around.project));
    inside.map(|folder| folder.join(name)).find(|file| r.analysis.machine.kind(file).is_some())
}

fn cargo_build(r: &mut Reading<'_, '_, '_>) -> Flow {
    let cleans = r.call.args.iter().any(|arg| arg.text == "clean");
    r.act(Act::ExecBuild, None);
    write_options(r);
    if cleans {
        let target = Arg::new("target", r.call.span);
        r.touch(Act::FsDelete, &target, Extent::Below);
    }
    Flow::unknown(Taint::NONE)
}

/// `apt`, `brew` and the like: their verbs.
fn system_install(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<Arg> = r.parsed.operands.clone();
    let verb = words.first().map(|arg| arg.text.clone()).unwrap_or_default();
    let changes = [
        "install",
        "add",
        "remove",
        "purge",
        "upgrade",
        "uninstall",
        "reinstall",
        "dist-upgrade",
        "full-upgrade",
        "autoremove",
        "tap",
        "del",
        "erase",
        "refresh",
        "link",
        "unlink",
        "in",
        "localinstall",
        "groupinstall",
    ];
    if verb == "services" {
        r.act(Act::HostService, words.get(2).map(|arg| arg.text.clone()).as_deref());
    }
    if !changes.contains(&verb.as_str()) {
        return Flow::unknown(Taint::NONE);
    }
    if words.len() < 2 {
        let object = Object::default();
        r.analysis.add(Act::PackageInstall, object, Location::System, crate::effect::Sure::Certain, r.call.span);
    }
    for package in words.iter().skip(1) {
        let object = Object { package: Some(package.text.as_str().into()), ..Object::default() };
        r.analysis.add(Act::PackageInstall, object, Location::System, crate::effect::Sure::Certain, package.span);
    }
    Flow::default()
}

fn dpkg(r: &mut Reading<'_, '_, '_>) -> Flow {
    let changes = r.call.args.iter().any(|arg| {
        matches!(
            arg.text.as_str(),
            "-i" | "-r" | "-P" | "--install" | "--remove" | "--purge" | "-e" | "-U" | "--erase" | "--upgrade"
        ) || arg.text.starts_with("-i")
            || arg.text.starts_with("-U")
    });
    let package = r.call.args.iter().find(|arg| !arg.text.starts_with('-')).cloned();
    if changes {
        let object = Object { package: package.map(|arg| arg.text.as_str().into()), ..Object::default() };
        r.analysis.add(Act::PackageInstall, object, Location::System, crate::effect::Sure::Certain, r.call.span);
    }
    Flow::unknown(Taint::NONE)
}

fn pacman(r: &mut Reading<'_, '_, '_>) -> Flow {
    let changes = r.call.args.iter().any(|arg| {
        arg.text.starts_with("-S") && !arg.text.contains(['s', 'i'])
            || arg.text.starts_with("-R")
            || arg.text.starts_with("-U")
    });
    let package = r.call.args.iter().find(|arg| !arg.text.starts_with('-')).cloned();
    if changes {
        let object = Object { package: package.map(|arg| arg.text.as_str().into()), ..Object::default() };
        r.analysis.add(Act::PackageInstall, object, Location::System, crate::effect::Sure::Certain, r.call.span);
    }
    Flow::unknown(Taint::NONE)
}

pub(super) fn task(r: &mut Reading<'_, '_, '_>, name: &str) {
    match data::task_act(name) {
        Some(act) => r.act(act, r.call.variable("RAILS_ENV").map(|arg| arg.text.clone()).as_deref()),
        None => r.act(script_act(name), Some(name)),
    }
}

/// `cmake -E` is a set of small tools; `-P` runs a script of its own language.
fn cmake(r: &mut Reading<'_, '_, '_>) -> Flow {
    if let Some(script) = r.parsed.value(&["-P"]).cloned() {
        let flow = shell::read(r.analysis, r.shell, &script);
        let text = shell::with_content(r.analysis, &flow).text.unwrap_or_default();
        r.act(Act::ExecDynamic, None);
        r.analysis.gap_in_file(crate::effect::GapReason::UnreadScript, r.call.span, &text, r.shell.cwd.as_deref());
        return Flow::unknown(Taint::NONE);
    }
    let Some(at) = r.call.args.iter().position(|arg| arg.text == "-E") else { return r.by_usage() };
    let words: Vec<Arg> = r.call.args.iter().skip(at + 1).cloned().collect();
    let Some((tool, rest)) = words.split_first() else { return Flow::default() };
    let program: &[&str] = match tool.text.as_str() {
        "rm" | "remove" => &["rm"],
        "remove_directory" => &["rm", "-r"],
        "copy" | "copy_if_different" | "copy_if_newer" => &["cp"],
        "copy_directory" | "copy_directory_if_different" => &["cp", "-r"],
        "rename" => &["mv"],
        "touch" | "touch_nocreate" => &["touch"],
        "make_directory" => &["mkdir", "-p"],
        "create_symlink" => &["ln", "-s"],
        "create_hardlink" => &["ln"],
        "tar" => &["tar"],
        "env" => &["env"],
        "chdir" => &["env", "-C"],
        "time" => &["time"],
        "cat" => &["cat"],
        _ => return Flow::unknown(Taint::NONE),
    };
    let program = program.iter().map(|word| tool.with_text(*word));
    r.run(program.chain(rest.iter().cloned()).collect())
}

fn rake(r: &mut Reading<'_, '_, '_>) -> Flow {
    let names: Vec<String> =
        r.parsed.operands.iter().map(|arg| arg.text.clone()).filter(|name| !name.contains('=')).collect();
    if names.first().is_some_and(|name| matches!(name.as_str(), "runner" | "r")) {
        r.act(Act::ExecDynamic, None);
        return Flow::default();
    }
    if names.is_empty() {
        r.act(Act::ExecBuild, None);
    }
    for name in names {
        task(r, &name);
    }
    Flow::unknown(Taint::NONE)
}

fn maven(r: &mut Reading<'_, '_, '_>) -> Flow {
    let deploys = r.parsed.operands.iter().any(|arg| {
        let task = arg.text.rsplit(':').next().unwrap_or_default();
        arg.text.starts_with("release:")
            || matches!(task, "deploy" | "publish" | "publishPlugins" | "uploadArchives")
            || task.starts_with("publishAll")
            || task.starts_with("publishTo") && task != "publishToMavenLocal"
    });
    let tests = r.parsed.operands.iter().any(|arg| matches!(arg.text.as_str(), "test" | "verify" | "surefire:test"));
    let migrates = r.parsed.operands.iter().find_map(|arg| data::task_act(&arg.text));
    let act = if let Some(act) = migrates {
        act
    } else if deploys {
        Act::PackagePublish
    } else if tests {
        Act::ExecTest
    } else {
        Act::ExecBuild
    };
    r.act(act, None);
    Flow::unknown(Taint::NONE)
}

fn mix(r: &mut Reading<'_, '_, '_>) -> Flow {
    let name = r.first().to_owned();
    match name.as_str() {
        "hex.publish" => r.act(Act::PackagePublish, None),
        "deps.get" | "deps.update" | "local.hex" | "archive.install" => r.act(Act::PackageInstall, None),
        _ => task(r, &name),
    }
    Flow::unknown(Taint::NONE)
}

pub(super) fn artisan(r: &mut Reading<'_, '_, '_>) -> Flow {
    let name = r.first().to_owned();
    match name.as_str() {
        "tinker" => r.act(Act::ExecDynamic, None),
        "serve" => r.act(Act::NetListen, None),
        _ => task(r, &name),
    }
    Flow::unknown(Taint::NONE)
}

pub(super) fn django(r: &mut Reading<'_, '_, '_>) -> Flow {
    let name = r.first().to_owned();
    match name.as_str() {
        "flush" | "reset_db" | "sqlflush" => r.act(Act::DbDestroy, None),
        // `zero` is the state before the first migration.
        "migrate" if r.parsed.operands.iter().any(|arg| arg.text == "zero") => r.act(Act::DbDestroy, None),
        "migrate" | "loaddata" | "createsuperuser" => r.act(Act::DbWrite, None),
        "test" => r.act(Act::ExecTest, None),
        "runserver" => r.act(Act::NetListen, None),
        "dumpdata" | "showmigrations" | "inspectdb" => r.act(Act::DbRead, None),
        "shell" | "dbshell" => r.act(Act::ExecDynamic, None),
        "startproject" | "startapp" => {
            r.act(Act::ExecBuild, Some(&name));
            // Into the folder that is named, or into one of the project's name.
            if let Some(folder) = r.parsed.operands.get(2).or_else(|| r.parsed.operands.get(1)).cloned() {
                r.touch(Act::FsWrite, &folder, Extent::Below);
            }
        }
        _ => r.act(Act::ExecBuild, Some(&name)),
    }
    Flow::unknown(Taint::NONE)
}

fn java(r: &mut Reading<'_, '_, '_>) -> Flow {
    r.act(Act::ExecRun, r.parsed.value(&["-jar"]).map(|arg| arg.text.clone()).as_deref());
    Flow::unknown(Taint::NONE)
}
