//! The CRDs, as `make gen` writes them to `deploy/crds`.

use product::Definition;

macro_rules! file {
    ($plural:literal) => {
        Definition::File {
            plural: $plural,
            yaml: include_str!(concat!("../../../../deploy/crds/", $plural, ".monitoring.coreos.com.yaml")),
        }
    };
}

/// All CRDs.
pub(super) fn all() -> Vec<Definition> {
    vec![
        file!("alertmanagerconfigs"),
        file!("alertmanagers"),
        file!("podmonitors"),
        file!("probes"),
        file!("prometheusagents"),
        file!("prometheuses"),
        file!("prometheusrules"),
        file!("scrapeconfigs"),
        file!("servicemonitors"),
        file!("thanosrulers"),
    ]
}
