//! Starting commands without copying this process.
//!
//! The standard library starts a command with `posix_spawn`, which shares the memory of this process until the command begins, if the C
//! library can change the folder on the way; else it forks, and a fork copies the tables of all memory and makes every page that is
//! written afterwards a fault, which is as dear as the rest of starting. Whether the C library can, it asks by a weak reference. In a
//! statically linked program that finds nothing, because a weak reference brings nothing in from an archive. A strong one does.

#![cfg(all(target_os = "linux", any(target_env = "gnu", target_env = "musl"), target_feature = "crt-static"))]

#[expect(unsafe_code, reason = "a name for the linker; nothing is called through it")]
unsafe extern "C" {
    fn posix_spawn_file_actions_addchdir_np();
}

/// What the linker has to bring in.
#[used]
static CHANGES_FOLDER: unsafe extern "C" fn() = posix_spawn_file_actions_addchdir_np;
