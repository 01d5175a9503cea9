//! Tests `docs/writing-an-operator.md`: its files are a crate, its lines register the operator, and the program runs that
//! operator.
//!
//! The crate is compiled in a workspace of its own below the target directory. Everything else in that workspace is a link
//! to this one, at the same relative path, so cargo reuses what it has compiled: only the crate of the page and a copy of
//! `mainstay` with the lines of the page are new.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use e2e::command::{self, Program};
use e2e::wait;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use lab::ControlPlane;
use lab::paths::workspace;
use serde_json::{Value, json};

const PAGE: &str = "docs/writing-an-operator.md";

/// A copy of `mainstay` with an additional operator. It has another name, so that the compiled `mainstay` stays valid.
const PROGRAM: &str = "mainstay-tutorial";

/// The resource that the page creates.
const RESOURCE: &str = "website.yaml";

/// A code block of the page: its first line names the file.
#[derive(Debug, PartialEq)]
struct Block<'p> {
    language: &'p str,
    file: &'p str,
    text: &'p str,
}

/// The code blocks that name a file.
fn blocks(page: &str) -> Vec<Block<'_>> {
    page.split("\n```").skip(1).step_by(2).filter_map(block).collect()
}

fn block(fenced: &str) -> Option<Block<'_>> {
    let (language, text) = fenced.split_once('\n')?;
    let first = text.lines().next()?;
    let file = first.strip_prefix("// ").or_else(|| first.strip_prefix("# "))?;
    let is_file = Path::new(file).extension().is_some() && !file.contains(' ');
    is_file.then_some(Block { language, file, text })
}

/// A file with the lines that a diff adds. Each is inserted after the line above it.
fn patched(text: &str, diff: &str) -> Result<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    for line in diff.lines().skip(1) {
        if let Some(context) = line.strip_prefix(' ') {
            let found = lines.iter().position(|line| *line == context);
            at = found.with_context(|| format!("there is no line `{context}`"))? + 1;
        } else if let Some(added) = line.strip_prefix('+') {
            lines.insert(at, added);
            at += 1;
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// Creates the workspace with the crate of the page.
fn assemble(page: &str, root: &Path) -> Result<()> {
    let this = workspace();
    // Links are removed, not followed.
    if root.exists() {
        fs::remove_dir_all(root)?;
    }
    fs::create_dir_all(root.join("operators"))?;
    link_all(this, root, &["Cargo.toml", "Cargo.lock", "operators", "target", ".git"])?;
    link_all(&this.join("operators"), &root.join("operators"), &[])?;
    fs::copy(this.join("Cargo.lock"), root.join("Cargo.lock"))?;
    let manifest = fs::read_to_string(this.join("Cargo.toml"))?;
    let members = "members = [";
    ensure!(manifest.contains(members), "the manifest of the workspace has no members");
    let manifest = manifest.replacen(members, &format!("{members}\"{PROGRAM}\", "), 1);
    fs::write(root.join("Cargo.toml"), manifest)?;
    copy_all(&this.join("mainstay"), &root.join(PROGRAM))?;
    for Block { language, file, text } in blocks(page) {
        // The changes of `mainstay` on the page are made in its copy.
        let path = root
            .join(file.strip_prefix("mainstay/").map_or(file.into(), |file| Path::new(PROGRAM).join(file)));
        let text =
            if language == "diff" { patched(&fs::read_to_string(&path)?, text)? } else { text.to_owned() };
        fs::create_dir_all(path.parent().context("the file has no directory")?)?;
        fs::write(&path, text)?;
    }
    let manifest = root.join(PROGRAM).join("Cargo.toml");
    let renamed = format!("name = \"{PROGRAM}\"");
    let text = fs::read_to_string(&manifest)?.replacen("name = \"mainstay\"", &renamed, 1);
    fs::write(manifest, format!("{text}\n[lib]\nname = \"mainstay\"\n"))?;
    Ok(())
}

fn link_all(from: &Path, to: &Path, but: &[&str]) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if !but.iter().any(|one| **one == name) {
            symlink(from.join(&name), to.join(&name))?;
        }
    }
    Ok(())
}

fn copy_all(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() {
            copy_all(&from, &to)?;
        } else {
            fs::copy(from, to)?;
        }
    }
    Ok(())
}

/// The program with the operator of the page, and the resource that the page creates.
fn built() -> Result<(Program, PathBuf)> {
    let page = fs::read_to_string(workspace().join(PAGE))?;
    let (target, name) = (command::target()?, "writing-an-operator");
    let root = target.join(name);
    assemble(&page, &root)?;
    // The features of the whole workspace, like all other builds.
    let arguments = "build --quiet --offline --all-features --bin";
    let build = command::cargo()
        .words(arguments)
        .arg(PROGRAM)
        .directory(&root)
        .environment("CARGO_TARGET_DIR", &target);
    build.output().context("the page does not compile")?;
    Ok((Program::at(target.join("debug").join(PROGRAM)), root.join(RESOURCE)))
}

/// Creates the CRD that the program prints.
async fn install(client: &Client, program: &Program) -> Result<()> {
    let definitions: Vec<CustomResourceDefinition> = serde_saphyr::from_multiple(&program.run(&["crds"])?)?;
    let ours = definitions.into_iter().find(|one| one.spec.names.kind == "Website");
    let definition = ours.context("the program does not print the CRD of the page")?;
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    api.create(&PostParams::default(), &definition).await?;
    wait::established(&api, &definition.name_any()).await
}

fn websites(client: &Client) -> Api<DynamicObject> {
    let resource = ApiResource {
        group: "example.com".into(),
        version: "v1".into(),
        api_version: "example.com/v1".into(),
        kind: "Website".into(),
        plural: "websites".into(),
    };
    Api::default_namespaced_with(client.clone(), &resource)
}

/// Waits until the condition `Ready` has a reason, and a number of pods is ready.
async fn reason(client: &Client, reason: &str, ready: u64) -> Result<()> {
    let fits = |site: &DynamicObject| {
        let status = &site.data["status"];
        let generation = &status["conditions"][0]["observedGeneration"];
        status["conditions"][0]["reason"] == reason
            && status["readyReplicas"] == ready
            && generation.as_i64() == site.metadata.generation
    };
    wait::until(&format!("the reason {reason}"), async || {
        let site = websites(client).get("hello").await?;
        Ok(wait::holds(fits(&site), site.data["status"].to_string()))
    })
    .await
}

#[tokio::test]
async fn the_operator_of_the_page_works() -> Result<()> {
    let (program, resource) = built()?;
    let resource = resource.to_str().context("the path is not UTF-8")?;
    let rendered: Vec<Value> = serde_saphyr::from_multiple(&program.run(&["render", "-f", resource])?)?;
    let kinds: Vec<&Value> = rendered.iter().map(|object| &object["kind"]).collect();
    assert_eq!(kinds, ["ConfigMap", "Deployment"]);

    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    install(&client, &program).await?;
    let kubeconfig = format!("--kubeconfig={}", plane.kubeconfig().display());
    let address = "--listen-address=127.0.0.1:0";
    let _running = program.start(&["--operators=website", "--no-leader-election", &kubeconfig, address])?;
    let site: DynamicObject = serde_saphyr::from_str(&fs::read_to_string(resource)?)?;
    websites(&client).create(&PostParams::default(), &site).await?;

    let pages: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let servers: Api<Deployment> = Api::default_namespaced(client.clone());
    let page = wait::object(&pages, "hello", "to be created", |_| true).await?;
    assert_eq!(page.data.context("the ConfigMap is empty")?["index.html"], "<h1>Hello</h1>");
    wait::object(&servers, "hello", "to be created", |_| true).await?;
    reason(&client, "PodsNotReady", 0).await?;

    // The controllers of Kubernetes do not run here.
    let status = json!({"status": {"replicas": 1, "readyReplicas": 1}});
    servers.patch_status("hello", &PatchParams::default(), &Patch::Merge(&status)).await?;
    reason(&client, "AllPodsReady", 1).await?;

    pages.delete("hello", &DeleteParams::default()).await?;
    let is_new = |new: &ConfigMap| new.metadata.uid != page.metadata.uid;
    wait::object(&pages, "hello", "to be created again", is_new).await?;

    let empty = Patch::Merge(json!({"spec": {"page": ""}}));
    websites(&client).patch("hello", &PatchParams::default(), &empty).await?;
    reason(&client, "EmptyPage", 1).await?;
    ensure!(pages.get_opt("hello").await?.is_some(), "an invalid spec deleted the ConfigMap");
    Ok(())
}

#[test]
fn a_block_names_its_file_in_its_first_line() {
    let page =
        "text\n```toml\n# a/Cargo.toml\nx\n```\n\n```sh\ncargo run\n```\n\n```rust\n// a/b.rs\ny\n```\n";
    let expected = [("toml", "a/Cargo.toml", "# a/Cargo.toml\nx"), ("rust", "a/b.rs", "// a/b.rs\ny")];
    assert_eq!(blocks(page), expected.map(|(language, file, text)| Block { language, file, text }));
}

#[test]
fn a_diff_adds_lines_after_others() -> Result<()> {
    assert_eq!(patched("a\nb\n", "# file\n a\n+x\n")?, "a\nx\nb\n");
    assert_eq!(patched("a\n", "# file\n c\n+x\n").unwrap_err().to_string(), "there is no line `c`");
    Ok(())
}
