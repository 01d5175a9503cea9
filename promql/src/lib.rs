//! The query language of Prometheus: read, checked, bound to a label, printed. It knows no product and reads nothing but
//! the query that it is given. Texts of errors and printed queries are those of Prometheus 3.13.
//!
//! | file | owns |
//! |---|---|
//! | `lexer` | cuts a query into words |
//! | `token`, `keyword` | the words |
//! | `parser` | makes a tree of them |
//! | `check` | whether its parts fit together |
//! | `types`, `function` | what expressions and functions take and give |
//! | `tree`, `growing` | what a query means |
//! | `print` | writes it |
//! | `enforce` | binds it to a label |
//! | `regexp` | regular expressions of selectors |
//! | `text`, `unquote`, `number` | texts and numbers |

mod check;
mod enforce;
mod error;
mod function;
mod growing;
mod keyword;
mod lexer;
mod number;
mod parser;
mod print;
mod regexp;
#[cfg(test)]
mod tests;
mod text;
mod token;
mod tree;
mod types;
mod unquote;

pub use error::Error;
pub use tree::Tree;

/// Parts of the language that must be asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Functions and aggregations that may still change.
    pub experimental_functions: bool,
    /// Durations that are computed, as in `[5m + step()]`.
    pub duration_expressions: bool,
    /// `anchored` and `smoothed`.
    pub extended_ranges: bool,
    /// `fill`, `fill_left` and `fill_right`.
    pub fill_modifiers: bool,
}

/// Reads and checks a query.
///
/// ```
/// let mut query = promql::parse("rate(requests_total[5m])", promql::Options::default())?;
/// query.enforce("namespace", "shop");
/// assert_eq!(query.print(), r#"rate(requests_total{namespace="shop"}[5m])"#);
/// # Ok::<(), promql::Error>(())
/// ```
pub fn parse(query: &str, options: Options) -> Result<Tree<'_>, Error> {
    parser::parse(query, options)
}
