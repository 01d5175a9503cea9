//! Quantities of Kubernetes as the numbers of configuration files. All digits are those that the Prometheus Operator
//! writes, since a different number would change the configuration.

use go_syntax::quantity::parse;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// The number; 0 if it cannot be parsed.
pub(crate) fn number(quantity: &Quantity) -> f64 {
    parse(&quantity.0).map_or(0.0, |quantity| quantity.number())
}

/// The quantity as Kubernetes writes it.
pub(crate) fn canonical(quantity: &Quantity) -> String {
    parse(&quantity.0).map_or_else(|_| quantity.0.clone(), |quantity| quantity.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "the last digit is what matters")]
    fn an_invalid_quantity_is_zero() {
        let quantity = |text: &str| Quantity(text.into());
        assert_eq!(number(&quantity("0.7")), 7.0 * 0.1);
        assert_eq!(number(&quantity("nothing")), 0.0);
        assert_eq!(canonical(&quantity("1.5")), "1500m");
        assert_eq!(canonical(&quantity("nothing")), "nothing");
    }
}
