//! Tests that the documents name only commands that exist: every `make` target, every `cargo lab`, `cargo xtask` and
//! `mainstay` command and every flag in a code span or block is compared with the definition of the program. Every file
//! for `kubectl` exists.

mod links;

use std::path::Path;

use clap::{Command, CommandFactory};

use crate::environment;

/// The documents that are written by hand. Generated documents follow from the programs.
const DOCUMENTS: [&str; 16] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs/compatibility.md",
    "docs/differences.md",
    "docs/monitoring.md",
    "docs/writing-an-operator.md",
    "apps/example-app/README.md",
    "conformance/README.md",
    "reloader/README.md",
    "lab/README.md",
    "bench/README.md",
    "convergence/README.md",
    "fuzz/README.md",
];

/// Every code span, and every line of a code block.
fn code(document: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block = false;
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            block = !block;
        } else if block {
            // A comment after a command is not part of it.
            found.push(line.split('#').next().unwrap_or_default().trim().to_owned());
        } else {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    found
}

/// What is wrong with a piece of code, if it is a command of ours.
fn fault(code: &str, targets: &[String]) -> Option<String> {
    let words: Vec<&str> = code.trim_start_matches("$ ").split_whitespace().collect();
    match words.as_slice() {
        ["make", target, ..] if target.starts_with(|first: char| first.is_ascii_lowercase()) => {
            (!targets.iter().any(|known| known == target))
                .then(|| format!("no target {target} in the Makefile"))
        }
        ["cargo", "lab", rest @ ..] => unknown_word(&lab::args::Arguments::command(), rest),
        ["cargo", "xtask", rest @ ..] => unknown_word(&crate::Arguments::command(), rest),
        ["mainstay", rest @ ..] => unknown_word(&mainstay::line::command(), rest),
        ["kubectl", rest @ ..] => missing_file(rest),
        _ => None,
    }
}

fn unknown_word(command: &Command, words: &[&str]) -> Option<String> {
    let mut command = command.clone();
    for word in words {
        if let Some(sub) = command.find_subcommand(word) {
            command = sub.clone();
        } else if command.has_subcommands() {
            return Some(format!("no command {word} of {}", command.get_name()));
        } else if command.is_disable_help_flag_set() {
            // It passes all arguments to another program.
            return None;
        } else if let Some(flag) = word.trim_start_matches('[').strip_prefix("--") {
            let flag = flag.split(['=', ']']).next().unwrap_or_default();
            if !command.get_arguments().any(|argument| argument.get_long() == Some(flag)) {
                return Some(format!("no flag --{flag} of {}", command.get_name()));
            }
        }
    }
    None
}

/// A file of this repository that is named but missing.
fn missing_file(words: &[&str]) -> Option<String> {
    let named = words.windows(2).filter(|pair| pair[0] == "-f").map(|pair| pair[1]);
    let mut ours = named.filter(|file| file.starts_with("deploy/") || file.starts_with("samples/"));
    ours.find(|file| !environment::workspace().join(file).exists()).map(|file| format!("no file {file}"))
}

fn targets(makefile: &str) -> Vec<String> {
    makefile
        .lines()
        .filter_map(|line| line.split_once(": ## "))
        .map(|(target, _)| target.to_owned())
        .collect()
}

fn read(root: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(root.join(name)).ok()
}

#[test]
fn commands_in_the_documents_exist() {
    let root = environment::workspace();
    let targets = targets(&read(&root, "Makefile").unwrap());
    let faults: Vec<String> = DOCUMENTS
        .iter()
        .map(|name| (name, read(&root, name).expect(name)))
        .flat_map(|(name, text)| code(&text).into_iter().map(move |code| (name, code)))
        .filter_map(|(name, code)| Some(format!("{name}: `{code}`: {}", fault(&code, &targets)?)))
        .collect();
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn every_target_is_listed_and_declared() {
    let makefile = read(&environment::workspace(), "Makefile").unwrap();
    let targets_in_order = [
        "help",
        "demo",
        "test",
        "test-long",
        "check",
        "convergence",
        "lab-up",
        "lab-down",
        "bench",
        "bench-render",
        "bench-monitoring",
        "bench-effect",
        "fuzz",
        "peer-e2e",
        "gen",
        "clean",
    ];
    assert_eq!(targets(&makefile), targets_in_order);
    assert!(makefile.contains(&format!("\n.PHONY: {}\n", targets_in_order.join(" "))));
}

#[test]
fn a_command_that_does_not_exist_is_found() {
    let targets = vec!["test".to_owned()];
    let wrong = |code: &str| fault(code, &targets);
    for good in [
        "make test",
        "cargo lab up --nodes 3 --control-plane-only=controllers",
        "cargo lab up [--nodes N]",
        "cargo lab kubectl get pods --all-namespaces",
        "cargo lab image build prometheus:3.13.1",
        "cargo xtask gen --check",
        "cargo fmt",
        "mainstay render -f FILE",
        "kubectl apply -f deploy/install.yaml -f yours.yaml",
    ] {
        assert_eq!(wrong(good), None, "{good}");
    }
    assert_eq!(wrong("make tset").as_deref(), Some("no target tset in the Makefile"));
    assert_eq!(wrong("cargo lab start").as_deref(), Some("no command start of lab"));
    assert_eq!(wrong("cargo lab image push x").as_deref(), Some("no command push of image"));
    assert_eq!(wrong("cargo lab up --node 3").as_deref(), Some("no flag --node of up"));
    assert_eq!(wrong("cargo xtask tset").as_deref(), Some("no command tset of xtask"));
    assert_eq!(wrong("kubectl apply -f deploy/non.yaml").as_deref(), Some("no file deploy/non.yaml"));
    assert_eq!(wrong("mainstay rendre -f x").as_deref(), Some("no command rendre of mainstay"));
}

#[test]
fn code_is_found_in_spans_and_blocks() {
    let text = "Run `make test` or\n```sh\ncargo lab up  # wait\n```\nnothing `x`.\n";
    assert_eq!(code(text), ["make test", "cargo lab up", "x"]);
}
