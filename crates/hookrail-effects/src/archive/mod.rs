//! What an archive would unpack: the names in tar files, also compressed with gzip, and in zip files.
//!
//! `tar xf` in the root of a project may write anything or nothing that matters, and only the archive tells which. It is
//! read, never unpacked; one that is too large, damaged or compressed in another way has unknown members.

mod inflate;
mod tar;
mod zip;

/// So many members are looked at.
const MAX_MEMBERS: usize = 20_000;
/// So large a tar file may be when it is unpacked.
const MAX_UNPACKED: usize = 8 * 1024 * 1024;

/// A file that is unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub name: String,
    /// A link: what is unpacked below it goes where it leads.
    pub is_link: bool,
}

/// The files in an archive, folders left out; `None` if they cannot be told.
pub(crate) fn members(bytes: &[u8]) -> Option<Vec<String>> {
    let found = match bytes {
        [b'P', b'K', ..] => zip::members(bytes)?,
        [0x1f, 0x8b, ..] => tar::members(&inflate::gunzip(bytes, MAX_UNPACKED)?)?,
        _ => tar::members(bytes)?,
    };
    if leads_elsewhere(&found) {
        return None;
    }
    Some(found.into_iter().map(|member| member.name).collect())
}

/// Whether a member lies below a link of the same archive: then its name does not tell where it is written.
fn leads_elsewhere(members: &[Member]) -> bool {
    let mut links: Vec<&str> =
        members.iter().filter(|member| member.is_link).map(|member| plain(&member.name)).collect();
    links.sort_unstable();
    let is_link = |folder: &str| links.binary_search(&folder).is_ok();
    !links.is_empty()
        && members.iter().any(|member| {
            let name = plain(&member.name);
            name.match_indices('/').any(|(at, _)| is_link(name.get(..at).unwrap_or_default()))
        })
}

fn plain(name: &str) -> &str {
    name.trim_start_matches("./").trim_end_matches('/')
}

#[cfg(test)]
mod tests;
