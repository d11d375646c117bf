//! An OCI image in one file (`docker load`, `podman load`, `skopeo copy oci-archive:…`): the program and nothing else. It is there to be
//! copied from, `COPY --from=…`, or to be run with a project mounted.

use super::files::{Entry, gzip, hex, sha256, tar};
use super::{ABOUT, Contents, LICENCE, Package, REPOSITORY, VERSION};
use serde_json::{Value, json};
use std::io;

pub fn make(contents: &Contents) -> io::Result<Option<Package>> {
    let Some(architecture) = contents.target.oci else { return Ok(None) };
    // There is no loader in an image that holds nothing else.
    if !contents.is_static {
        return Ok(None);
    }
    let layer = tar(&layer(contents))?;
    let packed = gzip(&layer)?;
    let config = json!({
        "architecture": architecture,
        "os": "linux",
        "config": {
            "Entrypoint": ["/usr/bin/hookrail"],
            "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"],
            "WorkingDir": "/work",
            "Labels": labels(),
        },
        "rootfs": { "type": "layers", "diff_ids": [digest(&layer)] },
    })
    .to_string();
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": descriptor("application/vnd.oci.image.config.v1+json", config.as_bytes()),
        "layers": [descriptor("application/vnd.oci.image.layer.v1.tar+gzip", &packed)],
    })
    .to_string();
    let mut described = descriptor("application/vnd.oci.image.manifest.v1+json", manifest.as_bytes());
    if let Some(fields) = described.as_object_mut() {
        fields.insert("platform".to_owned(), json!({ "architecture": architecture, "os": "linux" }));
        let names = json!({ "org.opencontainers.image.ref.name": VERSION, "io.containerd.image.name": format!("hookrail:{VERSION}") });
        fields.insert("annotations".to_owned(), names);
    }
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [described],
    });
    let blob = |bytes: &[u8]| Entry::data(format!("blobs/sha256/{}", hex(&sha256(bytes))), bytes);
    let layout = [
        Entry::text("oci-layout", json!({ "imageLayoutVersion": "1.0.0" }).to_string()),
        Entry::text("index.json", index.to_string()),
        blob(config.as_bytes()),
        blob(manifest.as_bytes()),
        blob(&packed),
    ];
    Ok(Some(Package::new(format!("hookrail-{VERSION}-oci-{architecture}.tar"), tar(&layout)?)))
}

fn layer(contents: &Contents) -> Vec<Entry> {
    let licences = contents.documents.iter().filter(|entry| entry.path.starts_with("LICENSE-"));
    let licences =
        licences.map(|entry| Entry { path: format!("usr/share/doc/hookrail/{}", entry.path), ..entry.clone() });
    let folders = [("root/", 0o700), ("tmp/", 0o1777), ("work/", 0o755)];
    let folders = folders.into_iter().map(|(path, mode)| Entry::folder(path, mode));
    contents.programs("usr/bin/").chain(folders).chain(licences).collect()
}

fn labels() -> Value {
    json!({
        "org.opencontainers.image.title": "hookrail",
        "org.opencontainers.image.description": ABOUT,
        "org.opencontainers.image.version": VERSION,
        "org.opencontainers.image.licenses": LICENCE,
        "org.opencontainers.image.source": REPOSITORY,
    })
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&sha256(bytes)))
}

fn descriptor(kind: &str, bytes: &[u8]) -> Value {
    json!({ "mediaType": kind, "digest": digest(bytes), "size": bytes.len() })
}
