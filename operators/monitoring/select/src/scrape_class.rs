//! Scrape classes: checks of those of a workload, and of the class that a resource names.

use api_monitoring::prometheus::scrape_class::ScrapeClass;
use go_syntax::quoted::Quoted;

use crate::problem::{Problem, Within, broken};
use crate::relabel::RelabelRules;
use crate::server::Server;
use crate::{authentication, tls};

/// Checks that the workload has the class that a resource names. A resource that names none gets the default.
pub(crate) fn check(server: &Server<'_>, name: Option<&str>) -> Result<(), Problem> {
    match name.filter(|name| !name.is_empty()) {
        Some(name) if server.spec.scrape_classes.iter().all(|class| class.name != name) => {
            broken(format!("scrapeClass {} not found in Prometheus scrapeClasses", Quoted(name)))
        }
        _ => Ok(()),
    }
}

/// Checks the classes of a workload without reading references.
pub fn check_all(classes: &[ScrapeClass], rules: &RelabelRules) -> Result<(), Problem> {
    let mut default: Option<&ScrapeClass> = None;
    for class in classes {
        let name = &class.name;
        rules
            .check_all(&class.relabelings)
            .within(format_args!("invalid relabelings for scrapeClass {name}"))?;
        rules
            .check_all(&class.metric_relabelings)
            .within(format_args!("invalid metric relabelings for scrapeClass {name}"))?;
        if let Some(settings) = &class.tls_config {
            tls::check(settings).within(format_args!("invalid TLS config for scrapeClass {name}"))?;
        }
        if let Some(authorization) = &class.authorization {
            authentication::check(authorization)
                .within(format_args!("invalid authorization for scrapeClass {name}"))?;
        }
        if class.default == Some(true) {
            // A default without a name is replaced by the next one.
            if default.is_some_and(|default| !default.name.is_empty()) {
                return broken("multiple default scrape classes defined");
            }
            default = Some(class);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use api_monitoring::auth::{Authorization, SafeAuthorization};
    use api_monitoring::relabel::RelabelConfig;
    use api_monitoring::tls::TlsConfig;
    use formats::version::Version;

    use super::*;

    fn class(name: &str) -> ScrapeClass {
        ScrapeClass { name: name.into(), ..ScrapeClass::default() }
    }

    fn words(classes: &[ScrapeClass]) -> String {
        let rules = RelabelRules::of(&Version::new(3, 0, 0));
        check_all(classes, &rules).map_or_else(|problem| problem.to_string(), |()| "good".to_owned())
    }

    #[test]
    fn one_class_is_the_default() {
        let default = |name: &str| ScrapeClass { default: Some(true), ..class(name) };
        let classes = [class("a"), default("b")];
        assert_eq!(words(&classes), "good");
        assert_eq!(words(&[default("a"), default("b")]), "multiple default scrape classes defined");
    }

    #[test]
    fn invalid_classes_are_rejected() {
        let step = RelabelConfig { regex: "(".into(), ..RelabelConfig::default() };
        let regex = "[0]: invalid regex ( for relabel configuration: error parsing regexp: missing closing ): `^(?s:()$`";
        let authorization = Authorization {
            safe: SafeAuthorization { type_: "basic".into(), credentials: None },
            credentials_file: String::new(),
        };
        for (class, expected) in [
            (
                ScrapeClass { relabelings: vec![step.clone()], ..class("a") },
                format!("invalid relabelings for scrapeClass a: {regex}"),
            ),
            (
                ScrapeClass { metric_relabelings: vec![step], ..class("a") },
                format!("invalid metric relabelings for scrapeClass a: {regex}"),
            ),
            (
                ScrapeClass {
                    tls_config: Some(TlsConfig { key_file: "k".into(), ..TlsConfig::default() }),
                    ..class("a")
                },
                "invalid TLS config for scrapeClass a: cannot specify client key without client cert".to_owned(),
            ),
            (
                ScrapeClass { authorization: Some(authorization), ..class("a") },
                "invalid authorization for scrapeClass a: authorization type cannot be set to \"basic\", use \"basicAuth\" instead".to_owned(),
            ),
        ] {
            assert_eq!(words(&[class]), expected);
        }
    }
}
