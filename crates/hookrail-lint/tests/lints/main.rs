//! Every lint, on a file that has the mistake and on one that does not.

mod configuration;
mod documentation;
mod hostility;
mod machine;
mod scripts;
