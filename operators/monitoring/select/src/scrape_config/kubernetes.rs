//! Checks of Kubernetes discoveries.

use api_monitoring::scrape_config::discovery::kubernetes::KubernetesSdConfig;
use go_syntax::quoted::Quoted;

use super::discoveries::Checks;
use crate::problem::{Problem, Within, broken};
use crate::{field_selector, label_selector};

/// The kinds of objects that the selectors of each role can match.
const SELECTABLE: [(&str, &[&str]); 6] = [
    ("pod", &["pod"]),
    ("service", &["service"]),
    ("endpointslice", &["pod", "service", "endpointslice"]),
    ("endpoints", &["pod", "service", "endpoints"]),
    ("node", &["node"]),
    ("ingress", &["ingress"]),
];

/// Checks discoveries.
pub(super) fn check(checks: Checks<'_, '_>, configs: &[KubernetesSdConfig]) -> Result<(), Problem> {
    for (index, config) in configs.iter().enumerate() {
        check_fields(checks, config).within(format_args!("[{index}]"))?;
        check_roles(config, index)?;
        check_selectors(config).within(format_args!("[{index}]"))?;
    }
    Ok(())
}

fn check_fields(checks: Checks<'_, '_>, config: &KubernetesSdConfig) -> Result<(), Problem> {
    checks.references.basic_auth(config.client.basic_auth.as_ref())?;
    checks.references.client(&config.client)?;
    checks.server.check_feature(&*config.role == "EndpointSlice", (2, 21, 0), "EndpointSlice role")?;
    let own = config.namespaces.as_ref().and_then(|namespaces| namespaces.own_namespace);
    if config.api_server.is_some() && own == Some(true) {
        return broken("cannot use 'apiServer' and 'namespaces.ownNamespace' simultaneously");
    }
    Ok(())
}

/// Checks that selectors match objects of the role.
fn check_roles(config: &KubernetesSdConfig, index: usize) -> Result<(), Problem> {
    let role = config.role.to_lowercase();
    let selectable = SELECTABLE.iter().find(|(name, _)| *name == role).map(|(_, selectable)| selectable);
    for selector in &config.selectors {
        let Some(selectable) = selectable else {
            return broken(format!(
                "[{index}]: invalid role: {}, expecting one of: pod, service, endpoints, endpointslice, node or ingress",
                Quoted(&selector.role)
            ));
        };
        if !selectable.contains(&selector.role.to_lowercase().as_str()) {
            return broken(format!(
                "[{index}] : {} role supports only {} selectors",
                config.role,
                selectable.join(", ")
            ));
        }
    }
    Ok(())
}

fn check_selectors(config: &KubernetesSdConfig) -> Result<(), Problem> {
    for selector in &config.selectors {
        if let Some(field) = &selector.field {
            field_selector::check(field)?;
        }
        if let Some(label) = &selector.label {
            label_selector::text::check(label)?;
        }
    }
    Ok(())
}
