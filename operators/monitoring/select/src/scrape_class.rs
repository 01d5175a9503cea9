//! Scrape classes: what is wrong with those of a workload, and whether it has the one that an object names.

use std::collections::BTreeMap;

use api_monitoring::prometheus::scrape_class::ScrapeClass;
use go_syntax::quoted::Quoted;

use crate::problem::{Problem, Within, broken};
use crate::relabel::Rules;
use crate::workload::Workload;
use crate::{authentication, tls};

/// Whether the workload has the class that an object names. An object that names none takes the default.
pub(crate) fn check(workload: &Workload<'_>, name: Option<&str>) -> Result<(), Problem> {
    match name.filter(|name| !name.is_empty()) {
        Some(name) if workload.spec.scrape_classes.iter().all(|class| class.name != name) => {
            broken(format!("scrapeClass {} not found in Prometheus scrapeClasses", Quoted(name)))
        }
        _ => Ok(()),
    }
}

/// Classes by name, and the default one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Classes<'c> {
    /// All.
    pub by_name: BTreeMap<&'c str, &'c ScrapeClass>,
    /// The one of those that name none.
    pub default: Option<&'c ScrapeClass>,
}

/// Checks the classes of a workload, but reads nothing that they point to.
pub fn check_all<'c>(classes: &'c [ScrapeClass], rules: &Rules) -> Result<Classes<'c>, Problem> {
    let mut checked = Classes::default();
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
            // One without a name is not noticed to be the default.
            if checked.default.is_some_and(|default| !default.name.is_empty()) {
                return broken("multiple default scrape classes defined");
            }
            checked.default = Some(class);
        }
        checked.by_name.insert(name, class);
    }
    Ok(checked)
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
        let rules = Rules::of(&Version::new(3, 0, 0));
        check_all(classes, &rules).map_or_else(|problem| problem.to_string(), |_| "good".to_owned())
    }

    #[test]
    fn one_class_is_the_default() {
        let default = |name: &str| ScrapeClass { default: Some(true), ..class(name) };
        let classes = [class("a"), default("b")];
        let checked = check_all(&classes, &Rules::of(&Version::new(3, 0, 0))).unwrap();
        assert_eq!(checked.default, Some(&classes[1]));
        assert_eq!(checked.by_name.keys().copied().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(words(&[default("a"), default("b")]), "multiple default scrape classes defined");
    }

    #[test]
    fn what_is_wrong_with_a_class_is_named() {
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
