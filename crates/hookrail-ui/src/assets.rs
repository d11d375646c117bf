//! The files of the page, built from `ui/` and kept compressed, as they are sent.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    pub content_type: &'static str,
    pub gzip: &'static [u8],
}

const PAGE: Asset = Asset { content_type: "text/html; charset=utf-8", gzip: include_bytes!("../assets/index.html.gz") };
const SCRIPT: Asset =
    Asset { content_type: "text/javascript; charset=utf-8", gzip: include_bytes!("../assets/app.js.gz") };
const STYLE: Asset = Asset { content_type: "text/css; charset=utf-8", gzip: include_bytes!("../assets/app.css.gz") };
const ICON: Asset = Asset { content_type: "image/svg+xml", gzip: include_bytes!("../assets/icon.svg.gz") };

/// The addresses of pages, which one file shows.
const PAGES: [&str; 6] = ["/", "/live", "/why", "/overview", "/backtest", "/rules"];

pub fn find(path: &str) -> Option<Asset> {
    match path {
        "/app.js" => Some(SCRIPT),
        "/app.css" => Some(STYLE),
        "/icon.svg" => Some(ICON),
        page => PAGES.contains(&page).then_some(PAGE),
    }
}
