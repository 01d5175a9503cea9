//! Programs from Go modules. Both recipes end in `go build` with the same settings, so that packages which two
//! programs share are compiled once.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Deserialize;

use crate::paths::remove_all;
use crate::shell::{Call, call};
use crate::versions::{Assembly, GoModules};

fn go(directory: &Path) -> Call {
    call("go")
        .directory(directory)
        .environment("CGO_ENABLED", "0")
        .environment("GOWORK", "off")
        .environment("GOFLAGS", "-mod=mod -buildvcs=false")
}

/// The part of `go mod download -json` that is needed.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Download {
    dir: String,
}

/// The part of `go mod edit -json` that is needed.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ModuleFile {
    #[serde(default)]
    replace: Option<Vec<Replace>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Replace {
    old: ModulePath,
    new: ModulePath,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ModulePath {
    path: String,
}

impl ModuleFile {
    /// Modules that are replaced by a directory beside them, which a published module does not have.
    fn replaced_by_directory(self) -> impl Iterator<Item = String> {
        self.replace
            .unwrap_or_default()
            .into_iter()
            .filter(|replace| replace.new.path.starts_with('.'))
            .map(|replace| replace.old.path)
    }
}

fn download(module: &str, tree: &Path) -> Result<String> {
    let answer = go(tree).words("mod download -json").arg(module).output()?;
    let download: Download =
        serde_json::from_str(&answer).context("`go mod download -json` printed unexpected output")?;
    Ok(download.dir)
}

fn module_file(directory: &Path) -> Result<ModuleFile> {
    let answer = go(directory).words("mod edit -json").output()?;
    serde_json::from_str(&answer).context("`go mod edit -json` printed unexpected output")
}

fn linker_flags(variables: &[String]) -> String {
    variables.iter().fold("-s -w".into(), |flags, variable| format!("{flags} -X {variable}"))
}

/// Builds published modules from a copy of their source.
pub(super) fn build_modules(recipe: &GoModules, tree: &Path, output: &Path) -> Result<()> {
    for (number, module) in recipe.modules.iter().enumerate() {
        let source = tree.join(number.to_string());
        check_out(&format!("{}@{}", module.path, module.version), &recipe.requires, &source)?;
        for (path, content) in &recipe.files {
            write(&source.join(path), content)?;
        }
        let target = module.output.as_ref().map_or_else(|| output.join(""), |name| output.join(name));
        go(&source)
            .args([
                "build",
                "-tags",
                &recipe.tags.join(","),
                "-ldflags",
                &linker_flags(&recipe.variables),
                "-o",
            ])
            .arg(target)
            .args(&module.packages)
            .run()?;
    }
    Ok(())
}

/// Writes a file that a module lacks, compressed if its name ends in `.gz`.
fn write(file: &Path, content: &str) -> Result<()> {
    std::fs::create_dir_all(file.parent().context("a file has a directory")?)?;
    let output = File::create(file).with_context(|| format!("cannot create {}", file.display()))?;
    if file.extension().is_some_and(|extension| extension == "gz") {
        let mut output = GzEncoder::new(output, Compression::best());
        output.write_all(content.as_bytes())?;
        output.finish()?;
    } else {
        (&output).write_all(content.as_bytes())?;
    }
    Ok(())
}

/// Copies a published module, `path@version`, from the read-only cache of Go, and changes it so that it can be built
/// alone: modules that it replaces by directories come from the proxy instead, in the versions of `requires` if they
/// are listed there.
pub fn check_out(module: &str, requires: &[String], source: &Path) -> Result<()> {
    let parent = source.parent().context("a source is in a directory")?;
    std::fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    let original = download(module, parent)?;
    remove_all(source)?;
    call("cp").args(["-r", "--no-preserve=mode"]).arg(original).arg(source).run()?;
    // A workspace file of the module would replace modules by directories again.
    let _ = std::fs::remove_file(source.join("go.work"));
    for replaced in module_file(source)?.replaced_by_directory() {
        go(source).words("mod edit -dropreplace").arg(replaced).run()?;
    }
    for required in requires {
        go(source).words("mod edit -require").arg(required).run()?;
    }
    Ok(())
}

/// Builds a generated module that requires published ones.
pub(super) fn build_assembly(recipe: &Assembly, tree: &Path, output: &Path) -> Result<()> {
    std::fs::write(tree.join("go.mod"), "module lab\n\ngo 1.24\n")?;
    if let Some(staging) = &recipe.staging {
        let module =
            recipe.requires.iter().find(|required| required.starts_with(&format!("{}@", staging.module)));
        let original = download(module.context("staging names a required module")?, tree)?;
        for replaced in module_file(Path::new(&original))?.replaced_by_directory() {
            go(tree)
                .words("mod edit -replace")
                .arg(format!("{replaced}={replaced}@{}", staging.version))
                .run()?;
        }
    }
    for required in &recipe.requires {
        go(tree).words("mod edit -require").arg(required).run()?;
    }
    let flags = linker_flags(&recipe.variables);
    let build = go(tree).args(["build", "-ldflags", &flags, "-o"]);
    match (&recipe.main, &recipe.output) {
        (Some(main), Some(name)) => {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(main);
            std::fs::copy(&source, tree.join("main.go"))
                .with_context(|| format!("cannot read {}", source.display()))?;
            // Also fetches what the main file imports.
            build.arg(output.join(name)).arg(".").run()
        }
        _ => build.arg(output.join("")).args(&recipe.packages).run(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_replaces_by_a_directory_are_found() {
        let file: ModuleFile = serde_json::from_str(
            r#"{"Module":{"Path":"m"},"Replace":[
                {"Old":{"Path":"k8s.io/api"},"New":{"Path":"./staging/src/k8s.io/api"}},
                {"Old":{"Path":"a.b/c"},"New":{"Path":"d.e/f","Version":"v1.0.0"}}]}"#,
        )
        .unwrap();
        assert_eq!(file.replaced_by_directory().collect::<Vec<_>>(), ["k8s.io/api"]);
        let none: ModuleFile = serde_json::from_str(r#"{"Module":{"Path":"m"},"Replace":null}"#).unwrap();
        assert_eq!(none.replaced_by_directory().count(), 0);
    }

    #[test]
    fn a_gz_file_is_compressed() {
        let directory = tempfile::tempdir().unwrap();
        let (plain, compressed) = (directory.path().join("ui/a.html"), directory.path().join("ui/a.html.gz"));
        write(&plain, "text").unwrap();
        write(&compressed, "text").unwrap();
        assert_eq!(std::fs::read_to_string(&plain).unwrap(), "text");
        let mut text = String::new();
        let mut reader = flate2::read::GzDecoder::new(File::open(&compressed).unwrap());
        std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
        assert_eq!(text, "text");
    }

    #[test]
    fn variables_become_linker_flags() {
        assert_eq!(linker_flags(&["a.B=1".into(), "c.D=2".into()]), "-s -w -X a.B=1 -X c.D=2");
    }
}
