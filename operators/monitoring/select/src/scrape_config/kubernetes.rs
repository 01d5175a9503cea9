//! Kubernetes.

use api_monitoring::scrape_config::discovery::kubernetes::KubernetesSdConfig;
use go_syntax::quoted::Quoted;

use super::Context;
use crate::problem::{Problem, Within, broken};
use crate::{field_selector, label_selector};

/// Which objects can be selected by, for each role.
const SELECTABLE: [(&str, &[&str]); 6] = [
    ("pod", &["pod"]),
    ("service", &["service"]),
    ("endpointslice", &["pod", "service", "endpointslice"]),
    ("endpoints", &["pod", "service", "endpoints"]),
    ("node", &["node"]),
    ("ingress", &["ingress"]),
];

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[KubernetesSdConfig]) -> Result<(), Problem> {
    for (index, config) in configs.iter().enumerate() {
        check_fields(context, config).within(format_args!("[{index}]"))?;
        check_roles(config, index)?;
        check_selectors(config).within(format_args!("[{index}]"))?;
    }
    Ok(())
}

fn check_fields(context: Context<'_, '_, '_>, config: &KubernetesSdConfig) -> Result<(), Problem> {
    context.references.basic_auth(config.basic_auth.as_ref())?;
    context.references.safe_authorization(config.authorization.as_ref())?;
    context.references.oauth2(config.oauth2.as_ref())?;
    context.references.safe_tls(config.tls_config.as_ref())?;
    context.references.proxy(&config.proxy)?;
    if &*config.role == "EndpointSlice" && context.workload.is_before(2, 21, 0) {
        return broken("EndpointSlice role is only supported for Prometheus version >= 2.21.0");
    }
    let own = config.namespaces.as_ref().and_then(|namespaces| namespaces.own_namespace);
    if config.api_server.is_some() && own == Some(true) {
        return broken("cannot use 'apiServer' and 'namespaces.ownNamespace' simultaneously");
    }
    Ok(())
}

/// What is selected by must have to do with what is discovered.
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
