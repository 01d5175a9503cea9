//! The functions of PromQL, with their parameters and results.

use crate::types::ValueType::{self, Matrix, Scalar, Text, Vector};

/// A function.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    /// The parameter types. The last parameter can be optional or repeated: see `more`.
    pub(crate) parameters: &'static [ValueType],
    pub(crate) more: More,
    pub(crate) result: ValueType,
    /// It must be enabled.
    pub(crate) experimental: bool,
}

/// How often the last parameter can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum More {
    /// Exactly once.
    Fixed,
    /// At most this often.
    UpTo(usize),
    /// Any number of times.
    Any,
}

impl Function {
    const fn new(name: &'static str, parameters: &'static [ValueType], result: ValueType) -> Self {
        Self { name, parameters, more: More::Fixed, result, experimental: false }
    }

    const fn up_to(mut self, times: usize) -> Self {
        self.more = More::UpTo(times);
        self
    }

    const fn any(mut self) -> Self {
        self.more = More::Any;
        self
    }

    const fn experimental(mut self) -> Self {
        self.experimental = true;
        self
    }
}

/// The function with this name, which is case sensitive.
pub(crate) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.binary_search_by(|function| function.name.cmp(name)).ok().map(|index| &FUNCTIONS[index])
}

/// All functions, by name.
const FUNCTIONS: &[Function] = &[
    Function::new("abs", &[Vector], Vector),
    Function::new("absent", &[Vector], Vector),
    Function::new("absent_over_time", &[Matrix], Vector),
    Function::new("acos", &[Vector], Vector),
    Function::new("acosh", &[Vector], Vector),
    Function::new("asin", &[Vector], Vector),
    Function::new("asinh", &[Vector], Vector),
    Function::new("atan", &[Vector], Vector),
    Function::new("atanh", &[Vector], Vector),
    Function::new("avg_over_time", &[Matrix], Vector),
    Function::new("ceil", &[Vector], Vector),
    Function::new("changes", &[Matrix], Vector),
    Function::new("clamp", &[Vector, Scalar, Scalar], Vector),
    Function::new("clamp_max", &[Vector, Scalar], Vector),
    Function::new("clamp_min", &[Vector, Scalar], Vector),
    Function::new("cos", &[Vector], Vector),
    Function::new("cosh", &[Vector], Vector),
    Function::new("count_over_time", &[Matrix], Vector),
    Function::new("day_of_month", &[Vector], Vector).up_to(1),
    Function::new("day_of_week", &[Vector], Vector).up_to(1),
    Function::new("day_of_year", &[Vector], Vector).up_to(1),
    Function::new("days_in_month", &[Vector], Vector).up_to(1),
    Function::new("deg", &[Vector], Vector),
    Function::new("delta", &[Matrix], Vector),
    Function::new("deriv", &[Matrix], Vector),
    Function::new("double_exponential_smoothing", &[Matrix, Scalar, Scalar], Vector).experimental(),
    Function::new("end", &[], Scalar).experimental(),
    Function::new("exp", &[Vector], Vector),
    Function::new("first_over_time", &[Matrix], Vector).experimental(),
    Function::new("floor", &[Vector], Vector),
    Function::new("histogram_avg", &[Vector], Vector),
    Function::new("histogram_count", &[Vector], Vector),
    Function::new("histogram_fraction", &[Scalar, Scalar, Vector], Vector),
    Function::new("histogram_quantile", &[Scalar, Vector], Vector),
    Function::new("histogram_quantiles", &[Vector, Text, Scalar, Scalar], Vector).up_to(9).experimental(),
    Function::new("histogram_stddev", &[Vector], Vector),
    Function::new("histogram_stdvar", &[Vector], Vector),
    Function::new("histogram_sum", &[Vector], Vector),
    Function::new("hour", &[Vector], Vector).up_to(1),
    Function::new("idelta", &[Matrix], Vector),
    Function::new("increase", &[Matrix], Vector),
    Function::new("info", &[Vector, Vector], Vector).up_to(1).experimental(),
    Function::new("irate", &[Matrix], Vector),
    Function::new("label_join", &[Vector, Text, Text, Text], Vector).any(),
    Function::new("label_replace", &[Vector, Text, Text, Text, Text], Vector),
    Function::new("last_over_time", &[Matrix], Vector),
    Function::new("ln", &[Vector], Vector),
    Function::new("log10", &[Vector], Vector),
    Function::new("log2", &[Vector], Vector),
    Function::new("mad_over_time", &[Matrix], Vector).experimental(),
    Function::new("max_of", &[Scalar, Scalar], Scalar).experimental(),
    Function::new("max_over_time", &[Matrix], Vector),
    Function::new("min_of", &[Scalar, Scalar], Scalar).experimental(),
    Function::new("min_over_time", &[Matrix], Vector),
    Function::new("minute", &[Vector], Vector).up_to(1),
    Function::new("month", &[Vector], Vector).up_to(1),
    Function::new("pi", &[], Scalar),
    Function::new("predict_linear", &[Matrix, Scalar], Vector),
    Function::new("present_over_time", &[Matrix], Vector),
    Function::new("quantile_over_time", &[Scalar, Matrix], Vector),
    Function::new("rad", &[Vector], Vector),
    Function::new("range", &[], Scalar).experimental(),
    Function::new("rate", &[Matrix], Vector),
    Function::new("resets", &[Matrix], Vector),
    Function::new("round", &[Vector, Scalar], Vector).up_to(1),
    Function::new("scalar", &[Vector], Scalar),
    Function::new("sgn", &[Vector], Vector),
    Function::new("sin", &[Vector], Vector),
    Function::new("sinh", &[Vector], Vector),
    Function::new("sort", &[Vector], Vector),
    Function::new("sort_by_label", &[Vector, Text], Vector).any().experimental(),
    Function::new("sort_by_label_desc", &[Vector, Text], Vector).any().experimental(),
    Function::new("sort_desc", &[Vector], Vector),
    Function::new("sqrt", &[Vector], Vector),
    Function::new("start", &[], Scalar).experimental(),
    Function::new("stddev_over_time", &[Matrix], Vector),
    Function::new("stdvar_over_time", &[Matrix], Vector),
    Function::new("step", &[], Scalar).experimental(),
    Function::new("sum_over_time", &[Matrix], Vector),
    Function::new("tan", &[Vector], Vector),
    Function::new("tanh", &[Vector], Vector),
    Function::new("time", &[], Scalar),
    Function::new("timestamp", &[Vector], Vector),
    Function::new("ts_of_first_over_time", &[Matrix], Vector).experimental(),
    Function::new("ts_of_last_over_time", &[Matrix], Vector).experimental(),
    Function::new("ts_of_max_over_time", &[Matrix], Vector).experimental(),
    Function::new("ts_of_min_over_time", &[Matrix], Vector).experimental(),
    Function::new("vector", &[Scalar], Vector),
    Function::new("year", &[Vector], Vector).up_to(1),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_sorted() {
        assert!(FUNCTIONS.is_sorted_by_key(|function| function.name));
        assert_eq!(find("rate").map(|function| function.parameters), Some(&[Matrix][..]));
        assert_eq!(find("Rate"), None);
    }
}
