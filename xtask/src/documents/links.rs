//! Tests that the links of the documents are valid: files and headings exist, and a link such as
//! ``[`Hub::run`](hub.rs)`` names something that the file defines. Paths in code spans exist too.

use std::path::{Path, PathBuf};

use super::{DOCUMENTS, code, read};
use crate::environment;

/// A link to a file or heading in the repository.
#[derive(Debug, PartialEq)]
struct Link<'d> {
    text: &'d str,
    file: &'d str,
    heading: Option<&'d str>,
}

/// All links of a document, without code blocks.
fn links(document: &str) -> Vec<Link<'_>> {
    let prose = document.split("\n```").step_by(2);
    let parts = prose.flat_map(|prose| prose.match_indices("](").map(move |(at, _)| prose.split_at(at)));
    let found = parts.filter_map(|(before, after)| Link::between(before, after));
    found.filter(|link| !link.file.contains("://")).collect()
}

impl<'d> Link<'d> {
    /// The link whose text ends before `](`, and whose target is after it.
    fn between(before: &'d str, after: &'d str) -> Option<Self> {
        let (_, text) = before.rsplit_once('[')?;
        let (target, _) = after.strip_prefix("](")?.split_once(')')?;
        let (file, heading) = target.split_once('#').map_or((target, None), |(file, at)| (file, Some(at)));
        Some(Self { text, file, heading })
    }
}

/// The anchor of a heading on GitHub.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|one| one.is_alphanumeric() || matches!(one, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn has_heading(document: &str, wanted: &str) -> bool {
    let prose = document.split("\n```").step_by(2);
    let mut headings = prose.flat_map(str::lines).filter(|line| line.starts_with('#'));
    headings.any(|line| anchor(line.trim_start_matches('#').trim()) == wanted)
}

/// Whether a file of Rust defines something.
fn defines(source: &str, name: &str) -> bool {
    const KEYWORDS: [&str; 7] = ["fn", "struct", "enum", "trait", "const", "type", "mod"];
    source.lines().any(|line| {
        let words: Vec<&str> = line.split(|one: char| !(one.is_alphanumeric() || one == '_')).collect();
        words.windows(2).any(|pair| KEYWORDS.contains(&pair[0]) && pair[1] == name)
    })
}

/// What is wrong with a link of a document.
fn fault(root: &Path, document: &str, link: &Link<'_>) -> Option<String> {
    let directory = Path::new(document).parent().unwrap_or(Path::new(""));
    let file = if link.file.is_empty() { PathBuf::from(document) } else { directory.join(link.file) };
    if !root.join(&file).exists() {
        return Some("no such file".into());
    }
    let text = read(root, &file.display().to_string()).unwrap_or_default();
    if let Some(heading) = link.heading {
        return (!has_heading(&text, heading)).then(|| "no such heading".into());
    }
    let code = link.text.strip_prefix('`')?.strip_suffix('`')?;
    let name = code.rsplit("::").next()?;
    let is_defined = file.extension().is_none_or(|end| end != "rs")
        || file.file_stem().is_some_and(|stem| stem == name)
        || defines(&text, name);
    (!is_defined).then(|| format!("it does not define {name}"))
}

/// Whether a code span is a path in the repository that does not exist. A word in capitals is a placeholder.
fn is_missing(root: &Path, code: &str) -> bool {
    let is_placeholder = |part: &str| part.chars().all(|one| one.is_ascii_uppercase());
    let Some((directory, rest)) = code.split_once('/') else { return false };
    !directory.is_empty()
        && root.join(directory).is_dir()
        && !code.contains([' ', '*', '{'])
        && !rest.split(['/', '.']).any(is_placeholder)
        && !root.join(code).exists()
}

#[test]
fn paths_in_the_documents_exist() {
    let root = environment::workspace();
    let mut missing = Vec::new();
    for document in DOCUMENTS {
        let text = read(&root, document).expect(document);
        let code = code(&text).into_iter().filter(|code| is_missing(&root, code));
        missing.extend(code.map(|code| format!("{document}: {code}")));
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn links_of_the_documents_are_valid() {
    let root = environment::workspace();
    let mut faults = Vec::new();
    for document in DOCUMENTS {
        let text = read(&root, document).expect(document);
        for link in links(&text) {
            let fault = fault(&root, document, &link);
            faults.extend(fault.map(|words| format!("{document}: [{}]({}): {words}", link.text, link.file)));
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn links_are_found_outside_of_code_blocks() {
    let text = "See [a](b.md), [`c`](d.rs#e) and [f](https://g).\n```sh\n[h](i)\n```\n[j](#k)";
    let expected = [("a", "b.md", None), ("`c`", "d.rs", Some("e")), ("j", "", Some("k"))];
    assert_eq!(links(text), expected.map(|(text, file, heading)| Link { text, file, heading }));
}

#[test]
fn headings_are_linked_as_github_does_it() {
    assert_eq!(anchor("`AlertmanagerConfig` in `v1beta1`"), "alertmanagerconfig-in-v1beta1");
    assert!(has_heading("# One\n\n## Two words\n", "two-words"));
    assert!(!has_heading("x\n```sh\n# One\n```\n", "one"));
}

#[test]
fn what_a_file_defines_is_found() {
    let source = "impl Hub {\n    pub async fn run(self) {}\n}\npub(crate) struct Once;\n";
    assert!(defines(source, "run") && defines(source, "Once"));
    assert!(!defines(source, "Hub") && !defines(source, "ru"));
}
