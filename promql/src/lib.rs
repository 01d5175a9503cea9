//! PromQL: parsing, type checks, enforcement of a label, and printing. The crate knows no product and reads nothing
//! but the query. Errors and printed queries are those of Prometheus 3.13.
//!
//! | file | contents |
//! |---|---|
//! | `lexer` | splits a query into tokens |
//! | `token`, `keyword` | the tokens |
//! | `parser` | builds a tree of them |
//! | `check` | type checks |
//! | `types`, `function` | types; the functions with their parameters and results |
//! | `tree`, `growing` | the syntax tree |
//! | `print` | prints it |
//! | `enforce` | enforces a label |
//! | `regexp` | regular expressions of selectors |
//! | `text`, `unquote`, `number` | strings and numbers |

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

/// Parts of the language that are disabled by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Experimental functions and aggregations.
    pub experimental_functions: bool,
    /// Duration expressions, as in `[5m + step()]`.
    pub duration_expressions: bool,
    /// `anchored` and `smoothed`.
    pub extended_ranges: bool,
    /// `fill`, `fill_left` and `fill_right`.
    pub fill_modifiers: bool,
}

/// Parses and checks a query.
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
