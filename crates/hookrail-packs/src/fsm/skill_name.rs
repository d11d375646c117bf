use super::error::FsmError;
use std::path::PathBuf;

/// A skill's name, fit to be part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SkillName<'a> {
    pub plugin: Option<&'a str>,
    skill: &'a str,
}

impl<'a> SkillName<'a> {
    /// `plugin:skill` or `skill`; the first colon divides (errata A7).
    pub fn parse(command: &'a str) -> Result<Self, FsmError> {
        let (plugin, skill) = match command.split_once(':') {
            Some((plugin, skill)) => (Some(plugin), skill),
            None => (None, command),
        };
        let fits =
            |part: &str| !part.is_empty() && part != "." && !part.contains("..") && !part.contains(['/', '\\', '\0']);
        if plugin.is_none_or(fits) && skill.split(':').all(fits) {
            Ok(Self { plugin, skill })
        } else {
            Err(FsmError::SkillName(command.escape_debug().to_string()))
        }
    }

    /// The folders a skill of this name may have: `a:b` is one of that name, or `b` in `a`.
    pub fn folders(&self) -> Vec<PathBuf> {
        let mut folders = vec![PathBuf::from(self.skill)];
        if self.skill.contains(':') {
            folders.push(self.skill.split(':').collect());
        }
        folders
    }
}
