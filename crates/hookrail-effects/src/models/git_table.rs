//! Version control. What git does depends so much on its options that it has a reader of its own.

use super::Row;

pub(super) const ROWS: &[Row] = &[
    ("git", "@git _*", "git push --force origin main => git.force main"),
    ("git-lfs", "git.stage _*", "git-lfs pull => git.stage"),
    ("git-filter-repo", "git.rewrite _*", "git-filter-repo --force => git.rewrite"),
    ("bfg", "git.rewrite _*", "bfg --strip-blobs-bigger-than 1M => git.rewrite"),
    ("tig", "git.read _*", "tig => git.read"),
    ("gitk", "git.read _*", "gitk => git.read"),
    ("lazygit", "git.read _*", "lazygit => git.read"),
    ("jj", "@jj -R=c _*", "jj log => git.read"),
    ("hg", "@hg -R=c _*", "hg status => git.read"),
    ("svn", "@hg _*", "svn status => git.read"),
    ("gt", "@jj _*", "gt log => git.read"),
];
