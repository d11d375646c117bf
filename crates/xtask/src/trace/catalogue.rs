//! The requirement ids: `spec/requirements/<document>.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::files::{self, TraceError, has_extension};
use hookrail_core::spelling::closest;

const FOLDER: &str = "spec/requirements";

/// All documents, sorted by name.
#[derive(Debug)]
pub struct Catalogue {
    pub documents: Vec<Document>,
}

#[derive(Debug)]
pub struct Document {
    pub name: String,
    pub title: String,
    pub requirements: Vec<Requirement>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    pub id: String,
    pub title: String,
    /// The id of the same document that says this one's sentence now.
    pub merged_into: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentConfig {
    title: String,
    requirements: Vec<Requirement>,
}

/// A catalogue that contradicts itself.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("the id `{id}` is in `{first}` and again in `{second}`")]
    Twice { id: String, first: String, second: String },
    #[error("`{id}` is merged into `{target}`, which is no active id of `{document}`")]
    Adrift { id: String, target: String, document: String },
}

impl Catalogue {
    pub fn load(root: &Path) -> Result<Self, TraceError> {
        let mut documents = Vec::new();
        for path in files::list(&root.join(FOLDER))?.into_iter().filter(|path| has_extension(path, &["toml"])) {
            let DocumentConfig { title, requirements } = files::read_toml(&path)?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            documents.push(Document { name, title, requirements });
        }
        Ok(Self::new(documents)?)
    }

    fn new(documents: Vec<Document>) -> Result<Self, CatalogueError> {
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for document in &documents {
            for Requirement { id, merged_into, .. } in &document.requirements {
                if let Some(first) = seen.insert(id, &document.name) {
                    let (first, second) = (first.to_owned(), document.name.clone());
                    return Err(CatalogueError::Twice { id: id.clone(), first, second });
                }
                if let Some(target) = merged_into.as_ref().filter(|target| !document.has_active(target)) {
                    let (target, document) = (target.clone(), document.name.clone());
                    return Err(CatalogueError::Adrift { id: id.clone(), target, document });
                }
            }
        }
        Ok(Self { documents })
    }

    pub fn document(&self, name: &str) -> Option<&Document> {
        self.documents.iter().find(|document| document.name == name)
    }

    pub fn requirement(&self, id: &str) -> Option<&Requirement> {
        self.requirements().find(|requirement| requirement.id == id)
    }

    /// The document that `id` belongs to.
    pub fn home_of(&self, id: &str) -> Option<&Document> {
        self.documents.iter().find(|document| document.requirements.iter().any(|requirement| requirement.id == id))
    }

    /// The known id that was probably meant.
    pub fn nearest_id(&self, id: &str) -> Option<&str> {
        closest(id, self.requirements().map(|requirement| requirement.id.as_str()))
    }

    pub fn nearest_document(&self, name: &str) -> Option<&str> {
        closest(name, self.documents.iter().map(|document| document.name.as_str()))
    }

    fn requirements(&self) -> impl Iterator<Item = &Requirement> {
        self.documents.iter().flat_map(|document| &document.requirements)
    }
}

impl Document {
    fn has_active(&self, id: &str) -> bool {
        self.requirements.iter().any(|requirement| requirement.id == id && requirement.merged_into.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_holds_every_id_of_the_five_documents() {
        let catalogue = Catalogue::load(Path::new(crate::ROOT)).unwrap();
        let counted: Vec<_> = catalogue
            .documents
            .iter()
            .map(|document| {
                let merged = document.requirements.iter().filter(|requirement| requirement.merged_into.is_some());
                (document.name.as_str(), document.requirements.len(), merged.count())
            })
            .collect();
        let expected =
            [("engine", 219, 8), ("fsm", 42, 0), ("isdlc", 45, 0), ("orchestrator", 58, 0), ("planning", 22, 0)];
        assert_eq!(counted, expected);
    }

    #[test]
    fn every_title_is_a_short_sentence_of_its_own() {
        let catalogue = Catalogue::load(Path::new(crate::ROOT)).unwrap();
        let mut titles = BTreeMap::new();
        for Requirement { id, title, .. } in catalogue.requirements() {
            let words = title.split_whitespace().count();
            assert!((6..=12).contains(&words), "{id} has {words} words: {title}");
            assert_eq!(titles.insert(title, id), None, "{id}: {title}");
        }
    }

    #[test]
    fn a_contradicting_catalogue_is_refused() {
        let requirement = |id: &str, merged_into: Option<&str>| Requirement {
            id: id.to_owned(),
            title: String::new(),
            merged_into: merged_into.map(str::to_owned),
        };
        let cases = [
            (vec![("A-1", None), ("A-1", None)], "the id `A-1` is in `a` and again in `a`"),
            (vec![("A-1", None), ("B-1", None)], "the id `B-1` is in `a` and again in `b`"),
            (vec![("A-1", Some("A-2"))], "`A-1` is merged into `A-2`, which is no active id of `a`"),
            (vec![("A-1", Some("B-1"))], "`A-1` is merged into `B-1`, which is no active id of `a`"),
            (
                vec![("A-1", Some("A-2")), ("A-2", Some("A-1"))],
                "`A-1` is merged into `A-2`, which is no active id of `a`",
            ),
        ];
        for (ids, message) in cases {
            let requirements = ids.into_iter().map(|(id, target)| requirement(id, target)).collect();
            let a = Document { name: "a".to_owned(), title: String::new(), requirements };
            let b =
                Document { name: "b".to_owned(), title: String::new(), requirements: vec![requirement("B-1", None)] };
            assert_eq!(Catalogue::new(vec![a, b]).unwrap_err().to_string(), message);
        }
    }
}
