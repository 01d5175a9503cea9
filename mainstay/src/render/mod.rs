//! Renders the objects that the operators would apply for resources in files, without a cluster.

use std::path::PathBuf;

use anyhow::{Result, bail};
use product::render::{Findings, InputDocument, RenderOutput, Schemas, read_all};
use product::{Definition, Product};

use crate::products;

/// The objects for the resources in these files and directories.
pub fn files(paths: &[PathBuf], namespace: &str) -> Result<RenderOutput> {
    render(&read_all(paths, namespace)?)
}

/// One configuration of the resources in these files, named as `prometheus/NAMESPACE/NAME`.
pub fn configuration(paths: &[PathBuf], namespace: &str, workload: &str) -> Result<RenderOutput> {
    let rendered = render(&read_all(paths, namespace)?)?;
    let Some((_, text)) = rendered.configurations.iter().find(|(name, _)| name == workload) else {
        let known: Vec<&str> = rendered.configurations.iter().map(|(name, _)| name.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        bail!("there is no {workload} in these files; there is {known}");
    };
    Ok(RenderOutput { text: text.clone(), ..rendered })
}

/// Each product gets its resources, as the API server would return them, and the objects that they can reference.
fn render(documents: &[InputDocument]) -> Result<RenderOutput> {
    let mut rendered = RenderOutput::default();
    let is_ours = |document: &&InputDocument| products::ALL.iter().any(|one| has_group(one, document));
    for document in documents.iter().filter(|one| !one.is_shared() && !is_ours(one)) {
        rendered.notes.push(format!("{} is skipped: it is not a resource of Mainstay", document.name()));
    }
    for product in products::ALL {
        let of_product = documents.iter().filter(|one| has_group(product, one) || one.is_shared());
        let of_product: Vec<InputDocument> = of_product.cloned().collect();
        let kinds: Vec<&str> = of_product.iter().map(InputDocument::kind).collect();
        let definitions: Vec<Definition> = (product.definitions)()?;
        let schemas = Schemas::read(&definitions, &kinds)?;
        let mut admitted = Vec::new();
        for document in of_product.iter().cloned() {
            admitted.extend(admit(document, &schemas, &mut rendered));
        }
        rendered.extend((product.render)(admitted));
    }
    Ok(rendered)
}

/// Whether a document has the API group of a product.
fn has_group(product: &Product, document: &InputDocument) -> bool {
    let mut groups = product.declarations.iter().map(|one| one.primary.group);
    groups.any(|group| !group.is_empty() && group == document.group())
}

/// A document as the API server would return it; `None` if the server would reject it.
fn admit(
    mut document: InputDocument,
    schemas: &Schemas,
    rendered: &mut RenderOutput,
) -> Option<InputDocument> {
    if document.is_shared() {
        return Some(document);
    }
    let (name, kind) = (document.name(), document.kind().to_owned());
    let api_version = document.api_version().to_owned();
    let Some(findings) = schemas.admit(&api_version, &kind, &mut document.value) else {
        rendered.failures.push(format!("{name}: there is no kind {kind:?} in {api_version:?}"));
        return None;
    };
    let Findings { unknown, refused } = findings;
    let notes = unknown.iter().map(|field| format!("{name}: {field} is unknown and ignored"));
    rendered.notes.extend(notes);
    if !refused.is_empty() {
        let problems = refused.join("; ");
        rendered.failures.push(format!("{name}: the API server would reject it: {problems}"));
        return None;
    }
    Some(document)
}

#[cfg(test)]
mod awkward;
#[cfg(test)]
mod tests;
