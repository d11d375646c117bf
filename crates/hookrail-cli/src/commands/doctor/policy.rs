//! Which policy is in force on this machine.

use super::item::{Area, Item};
use super::versions::{find_all, version};
use crate::commands::policy::installed_here;
use crate::commands::sync::LastSync;
use crate::current_project::CurrentProject;
use hookrail_fleet::policy::{Bundle, InForce, Installed};

pub fn examine(place: &CurrentProject) -> Area {
    let mut items = items(&installed_here(), &|program| version_here(program, place));
    items.extend(sync(place));
    Area { title: "Policy", items }
}

/// When the journal was shipped last, on a machine of a fleet.
fn sync(place: &CurrentProject) -> Option<Item> {
    crate::commands::fleet::settings(place)?;
    let last = place.state.as_ref().ok().and_then(|state| LastSync::read(state));
    Some(match last {
        None => {
            Item::look("the journal was not shipped yet", "The first session that ends ships it.").fix("hookrail sync")
        }
        Some(LastSync { error: Some(why), .. }) => {
            let why = why.lines().next().unwrap_or_default().to_owned();
            Item::look(format!("the journal could not be shipped: {why}"), "The next session that ends tries again.")
                .fix("hookrail sync")
        }
        Some(last) => Item::fine(format!("the journal was shipped at {}", hookrail_engine::timestamp_of(last.at))),
    })
}

fn version_here(program: &str, place: &CurrentProject) -> Option<String> {
    if program == "hookrail" {
        return Some(env!("CARGO_PKG_VERSION").to_owned());
    }
    let agent = hookrail_lint::agent(program)?;
    version(find_all(agent.program, &place.world).first()?)
}

fn items(installed: &Installed, version_of: &dyn Fn(&str) -> Option<String>) -> Vec<Item> {
    let state = match installed.in_force() {
        Ok(state) => state,
        Err(error) => {
            return vec![Item::wrong(
                format!("the policy of this machine cannot be told: {error}"),
                "What the managed layer says holds all the same.",
            )];
        }
    };
    let mut items = vec![match &state {
        InForce::Nothing => Item::fine("no managed layer"),
        InForce::ByHand => Item::fine("a managed layer that no policy brought"),
        InForce::Policy(bundle) => Item::fine(format!("{} {} is in force", bundle.name, bundle.serial)),
        InForce::Altered(bundle) => Item::wrong(
            format!(
                "{} is not what policy {} {} says",
                installed.settings_file().display(),
                bundle.name,
                bundle.serial
            ),
            "The rules of this machine were changed by hand.",
        )
        .fix("hookrail policy rollback"),
    }];
    items.extend(state.bundle().into_iter().flat_map(|bundle| unmet(bundle, version_of)));
    items
}

/// Programs whose version is another one than the policy asks for. One that is not here cannot be of the wrong version.
fn unmet(bundle: &Bundle, version_of: &dyn Fn(&str) -> Option<String>) -> Vec<Item> {
    let judge = |program: &String| {
        let rule = bundle.version_of(program)?;
        let version = version_of(program)?;
        let what = format!("{program} is {version}, and policy {} asks for {rule}", bundle.name);
        let why = "The policy was written for that version.";
        (rule.is_met_by(&version) == Some(false)).then(|| Item::look(what, why).fix(format!("update {program}")))
    };
    bundle.versions.keys().filter_map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::super::item::CheckStatus;
    use super::*;
    use hookrail_fleet::policy::{KeyPair, PinnedKey, PolicyError, Replace, SigningKey};

    #[test]
    fn the_policy_in_force_is_named_and_what_differs_from_it_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let installed = Installed::at(folder.path().join("etc"));
        let told = |version: &str| {
            let items = items(&installed, &|_| Some(version.to_owned()));
            let worst = items.iter().map(|item| item.mark).max().unwrap();
            (worst, items.iter().map(|item| item.what.clone()).collect::<Vec<_>>().join("; "))
        };
        assert_eq!(told("1.0"), (CheckStatus::Fine, "no managed layer".to_owned()));
        let pair = KeyPair::generate(None).unwrap();
        let source = folder.path().join("source");
        std::fs::create_dir(&source).unwrap();
        std::fs::write(source.join("policy.toml"), "name = \"acme\"\nserial = 4\nversions = { claude = \"2.1\" }\n")
            .unwrap();
        std::fs::write(source.join("hookrail.toml"), "privacy = \"minimal\"\n").unwrap();
        let signed =
            Bundle::from_folder(&source).unwrap().sign(&SigningKey::parse(&pair.secret, None).unwrap()).unwrap();
        let key = PinnedKey::parse(&pair.public).unwrap();
        installed.pull(&signed, Some(&key), Replace::Never, "0.1.0", |_| Ok::<_, PolicyError>(())).unwrap();
        assert_eq!(told("2.1.5"), (CheckStatus::Fine, "acme 4 is in force".to_owned()));
        let (mark, text) = told("2.0");
        assert!(
            mark == CheckStatus::Look && text.contains("claude is 2.0, and policy acme asks for at least 2.1"),
            "{text}"
        );
        std::fs::write(installed.settings_file(), "").unwrap();
        let (mark, text) = told("2.1");
        assert!(mark == CheckStatus::Wrong && text.contains("is not what policy acme 4 says"), "{text}");
    }
}
