//! Prints a query as Prometheus does: on one line, with sorted label matchers.

use std::fmt::{self, Write};

use go_syntax::duration::prometheus::DisplayPrometheusDuration;
use go_syntax::quoted;

use crate::parser::{NAME, whole, write_label};
use crate::text::Text;
use crate::tree::{
    At, Comparison, DurationExpression, DurationId, Edges, Expression, ExpressionId, Grouping, Matching,
    Modifiers, Subquery, TimeSpan, Tree, VectorSelector, part,
};

impl Tree<'_> {
    /// The query as text. Parsing it yields the same query.
    pub fn print(&self) -> String {
        let mut printer = Printer { tree: self, out: String::with_capacity(128) };
        printer.expression(self.root);
        printer.out
    }
}

impl fmt::Display for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.print())
    }
}

struct Printer<'t, 'q> {
    tree: &'t Tree<'q>,
    out: String,
}

impl Printer<'_, '_> {
    fn expression(&mut self, id: ExpressionId) {
        match &self.tree.node(id).expression {
            Expression::Number { value, duration } => self.number(*value, *duration),
            Expression::Text(index) => quoted::push(&mut self.out, &self.tree.texts[*index as usize]),
            Expression::Parentheses(inner) => {
                self.out.push('(');
                self.expression(*inner);
                self.out.push(')');
            }
            Expression::Sign { minus, operand } => {
                self.out.push(if *minus { '-' } else { '+' });
                self.expression(*operand);
            }
            Expression::Binary { .. } => self.chain(id),
            Expression::Call { function, arguments } => {
                self.out.push_str(function.name);
                self.out.push('(');
                for (index, argument) in part(&self.tree.arguments, *arguments).iter().enumerate() {
                    self.separate(index);
                    self.expression(*argument);
                }
                self.out.push(')');
            }
            Expression::Aggregate { aggregation, operand, parameter, without, labels } => {
                self.out.push_str(aggregation.text());
                let labels = part(&self.tree.labels, *labels);
                if *without || !labels.is_empty() {
                    self.out.push_str(if *without { " without (" } else { " by (" });
                    self.labels(labels);
                    self.out.push_str(") ");
                }
                self.out.push('(');
                if let Some(parameter) = parameter {
                    self.expression(*parameter);
                    self.separate(1);
                }
                self.expression(*operand);
                self.out.push(')');
            }
            Expression::Selector(selector) => self.selector(selector),
            Expression::Matrix { selector, range } => self.matrix(*selector, *range),
            Expression::Subquery { operand, subquery } => {
                let Subquery { range, step, modifiers } = *self.tree.subquery(*subquery);
                self.expression(*operand);
                self.out.push('[');
                self.span(range);
                self.out.push(':');
                if step != TimeSpan::NONE {
                    self.span(step);
                }
                self.out.push(']');
                self.at(modifiers.at);
                self.offset(modifiers.offset);
            }
        }
    }

    /// A chain of operators. Left operands are the deeper ones, and there can be thousands.
    fn chain(&mut self, outermost: ExpressionId) {
        let mut chain = Vec::new();
        let mut innermost = outermost;
        while let Expression::Binary { operator, bool, left, right, matching } =
            self.tree.node(innermost).expression
        {
            chain.push((operator, bool, right, matching));
            innermost = left;
        }
        self.expression(innermost);
        for (operator, bool, right, matching) in chain.into_iter().rev() {
            let _ = write!(self.out, " {}{}", operator.text(), if bool { " bool" } else { "" });
            if let Some(matching) = matching {
                self.matching(&self.tree.matchings[matching as usize]);
            }
            self.out.push(' ');
            self.expression(right);
        }
    }

    fn matching(&mut self, matching: &Matching) {
        let labels = part(&self.tree.labels, matching.labels);
        if !labels.is_empty() || matching.on || matching.grouping != Grouping::None {
            self.out.push_str(if matching.on { " on (" } else { " ignoring (" });
            self.labels(labels);
            self.out.push(')');
        }
        let group = match matching.grouping {
            Grouping::None => "",
            Grouping::Left => " group_left (",
            Grouping::Right => " group_right (",
        };
        if !group.is_empty() {
            self.out.push_str(group);
            self.labels(part(&self.tree.labels, matching.include));
            self.out.push(')');
        }
        #[expect(clippy::float_cmp, reason = "only equal numbers can be written once")]
        match (matching.fill_left, matching.fill_right) {
            (Some(left), Some(right)) if left == right => self.fill("fill", left),
            (left, right) => {
                if let Some(left) = left {
                    self.fill("fill_left", left);
                }
                if let Some(right) = right {
                    self.fill("fill_right", right);
                }
            }
        }
    }

    fn fill(&mut self, name: &str, value: f64) {
        let _ = write!(self.out, " {name} ({})", general(value));
    }

    fn labels(&mut self, labels: &[Text<'_>]) {
        for (index, label) in labels.iter().enumerate() {
            self.separate(index);
            write_label(&mut self.out, label);
        }
    }

    /// A comma before all elements but the first.
    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(", ");
        }
    }

    fn selector(&mut self, selector: &VectorSelector) {
        let Modifiers { at, edges, offset } = self.tree.modifiers(selector);
        self.series(selector);
        self.at(at);
        self.edges(edges);
        self.offset(offset);
    }

    /// A range vector. The modifiers of its selector come after the brackets.
    fn matrix(&mut self, selector: ExpressionId, range: TimeSpan) {
        let Expression::Selector(selector) = &self.tree.node(selector).expression else { return };
        let Modifiers { at, edges, offset } = self.tree.modifiers(selector);
        self.series(selector);
        self.out.push('[');
        self.span(range);
        self.out.push(']');
        self.edges(edges);
        self.at(at);
        self.offset(offset);
    }

    /// The metric name and the label matchers, sorted by their text.
    fn series(&mut self, selector: &VectorSelector) {
        let name = self.tree.name(selector);
        self.out.push_str(name);
        let name = name.as_bytes();
        let matchers = part(&self.tree.matchers, selector.matchers);
        // A matcher that only repeats the metric name is omitted.
        let mut shown = matchers.iter().filter(|matcher| {
            !(*matcher.name == *NAME.as_bytes()
                && matcher.comparison == Comparison::Equal
                && *matcher.value == *name
                && !name.is_empty())
        });
        let Some(first) = shown.next() else { return };
        self.out.push('{');
        match shown.next() {
            None => first.write(&mut self.out),
            Some(second) => {
                let mut texts: Vec<String> = [first, second]
                    .into_iter()
                    .chain(shown)
                    .map(|matcher| {
                        let mut text = String::with_capacity(matcher.name.len() + matcher.value.len() + 4);
                        matcher.write(&mut text);
                        text
                    })
                    .collect();
                texts.sort_unstable();
                for (index, text) in texts.iter().enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.out.push_str(text);
                }
            }
        }
        self.out.push('}');
    }

    fn edges(&mut self, edges: Edges) {
        self.out.push_str(match edges {
            Edges::Plain => "",
            Edges::Anchored => " anchored",
            Edges::Smoothed => " smoothed",
        });
    }

    fn at(&mut self, at: At) {
        match at {
            At::Unset => {}
            At::Start => self.out.push_str(" @ start()"),
            At::End => self.out.push_str(" @ end()"),
            At::Milliseconds(milliseconds) => {
                #[expect(clippy::cast_precision_loss, reason = "Prometheus prints it as a float")]
                let seconds = milliseconds as f64 / 1000.0;
                let _ = write!(self.out, " @ {seconds:.3}");
            }
        }
    }

    fn offset(&mut self, offset: TimeSpan) {
        match offset {
            TimeSpan::Nanoseconds(0) => {}
            TimeSpan::Nanoseconds(nanoseconds) => {
                self.out.push_str(if nanoseconds < 0 { " offset -" } else { " offset " });
                self.nanoseconds(nanoseconds.wrapping_abs());
            }
            TimeSpan::Computed(id) => {
                self.out.push_str(" offset ");
                self.duration(id);
            }
        }
    }

    fn nanoseconds(&mut self, nanoseconds: i64) {
        let _ = write!(self.out, "{}", DisplayPrometheusDuration(nanoseconds));
    }

    fn span(&mut self, span: TimeSpan) {
        match span {
            TimeSpan::Nanoseconds(nanoseconds) => self.nanoseconds(nanoseconds),
            TimeSpan::Computed(id) => self.duration(id),
        }
    }

    fn duration(&mut self, id: DurationId) {
        let node = self.tree.duration(id);
        if node.parentheses {
            self.out.push('(');
        }
        match node.duration {
            DurationExpression::Literal { value, duration } => self.number(value, duration),
            DurationExpression::Step => self.out.push_str("step()"),
            DurationExpression::Range => self.out.push_str("range()"),
            DurationExpression::Largest(left, right) => self.pair("max_of", left, right),
            DurationExpression::Smallest(left, right) => self.pair("min_of", left, right),
            DurationExpression::Negative(operand) => {
                self.out.push('-');
                self.duration(operand);
            }
            DurationExpression::Positive(operand) => self.duration(operand),
            DurationExpression::Binary(operator, left, right) => {
                self.duration(left);
                let _ = write!(self.out, " {} ", operator.text());
                self.duration(right);
            }
        }
        if node.parentheses {
            self.out.push(')');
        }
    }

    fn pair(&mut self, function: &str, left: DurationId, right: DurationId) {
        self.out.push_str(function);
        self.out.push('(');
        self.duration(left);
        self.separate(1);
        self.duration(right);
        self.out.push(')');
    }

    fn number(&mut self, value: f64, written_as_duration: bool) {
        if written_as_duration {
            if value < 0.0 {
                self.out.push('-');
            }
            self.nanoseconds(whole(value.abs() * 1e9));
        } else if value == f64::INFINITY {
            self.out.push_str("+Inf");
        } else if value == f64::NEG_INFINITY {
            self.out.push_str("-Inf");
        } else {
            let _ = write!(self.out, "{value}");
        }
    }
}

/// A number in the shortest form, with an exponent if it is very large or very small (`%g`).
fn general(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "+Inf".to_owned() } else { "-Inf".to_owned() };
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..21).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        _ => value.to_string(),
    }
}
