//! Parts of a call that are not understood and name something protected.

use super::ground::ProtectedGround;
use hookrail_core::display::one_line;
use hookrail_effects::{Effects, Gap, GapReason, GivenFor, GivenPath};

/// What to ask a person, if a part that is not understood may change something protected.
pub(super) fn question(effects: &Effects, ground: &ProtectedGround<'_>) -> Option<String> {
    let gap = effects.gaps.iter().find_map(|gap| {
        let near = gap.names.iter().find(|name| ground.is_near(name));
        let over = gap.why == GapReason::OverLimit;
        (over || near.is_some()).then(|| asked(&what_is_unclear(gap), near.map(|name| &*name.written)))
    });
    gap.or_else(|| {
        let changes = |given: &&GivenPath| given.purpose != GivenFor::Reading;
        let given = effects.given.iter().filter(changes).find(|given| ground.is_near(&given.path))?;
        let (program, path) = (one_line(&given.program), one_line(&given.path.written));
        if given.purpose == GivenFor::WrittenByItself {
            return Some(format!(
                "`{program}` writes `{path}` by itself, which is protected. A person can allow it, or run it in a terminal"
            ));
        }
        let what = format!("hookrail does not know what `{program}` does with its arguments");
        Some(asked(&what, Some(&given.path.written)))
    })
}

/// What is asked about a change of which the text leaves open what it reaches.
pub(super) fn open_change(path: &str) -> String {
    asked(&format!("what `{}` stands for is only known when it runs", one_line(path)), None)
}

/// What is asked about a command of git that puts back every file which was changed.
pub(super) fn put_back() -> String {
    "This puts back what was changed since the last commit, and a protected file was. A person can allow it, or run it in a \
     terminal; else name the paths that are meant"
        .to_owned()
}

fn what_is_unclear(gap: &Gap) -> String {
    let program = one_line(&gap.program);
    match gap.why {
        GapReason::UnreadScript => format!("the script that `{program}` is, or runs, cannot be read"),
        GapReason::DynamicCode => "it runs a text that is only known when it runs".to_owned(),
        GapReason::UnknownProgram => format!("hookrail does not know what `{program}` does with its arguments"),
        GapReason::OverLimit => "it is too long to be read to its end".to_owned(),
        GapReason::Syntax => "it cannot be read as a command".to_owned(),
        GapReason::UnknownTool => "the tool's arguments do not tell what it does".to_owned(),
    }
}

fn asked(what: &str, path: Option<&str>) -> String {
    let touches = match path {
        Some(path) => format!("and it names `{}`, which is protected", one_line(path)),
        None => "and it may change something protected".to_owned(),
    };
    format!(
        "This call is not fully understood: {what}, {touches}. A person can allow it, or run it in a terminal; else write it \
         so that every path stands in it"
    )
}
