//! How names of hosts are looked up by a program that is linked statically.

/// Leaves lookups to what is linked in: files and DNS. The C library would load what `/etc/nsswitch.conf` names besides, as
/// shared libraries that `LD_LIBRARY_PATH` may lead to, with a C library of their own.
#[cfg(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))]
#[expect(unsafe_code, reason = "a function of the C library")]
pub fn use_what_is_linked_in() {
    use std::ffi::{c_char, c_int};
    use std::sync::Once;

    unsafe extern "C" {
        fn __nss_configure_lookup(database: *const c_char, services: *const c_char) -> c_int;
    }

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: both texts end with a zero. If it fails, lookups are as they were.
        let _ = unsafe { __nss_configure_lookup(c"hosts".as_ptr(), c"files dns".as_ptr()) };
    });
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static")))]
pub fn use_what_is_linked_in() {}
