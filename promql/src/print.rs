//! Writes a query as Prometheus writes it: on one line, with its conditions in order.

use std::fmt::{self, Write};

use go_syntax::duration::prometheus::Written;
use go_syntax::quoted;

use crate::parser::{NAME, whole, write_label};
use crate::text::Text;
use crate::tree::{
    At, Comparison, Duration, DurationId, Edges, Expression, ExpressionId, Grouping, Matching, Moment,
    Selector, Span, Subquery, Tree, part,
};

impl Tree<'_> {
    /// The query as text. Reading it again gives the same query.
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
            Expression::Values { selector, range } => self.values(*selector, *range),
            Expression::Subquery { operand, subquery } => {
                let Subquery { range, step, moment } = *self.tree.subquery(*subquery);
                self.expression(*operand);
                self.out.push('[');
                self.span(range);
                self.out.push(':');
                if step != Span::NONE {
                    self.span(step);
                }
                self.out.push(']');
                self.at(moment.at);
                self.offset(moment.offset);
            }
        }
    }

    /// Operators one after the other. Those to the left lie deeper, and there may be thousands.
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
        #[expect(clippy::float_cmp, reason = "the very same number is meant")]
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

    /// A comma before all but the first.
    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(", ");
        }
    }

    fn selector(&mut self, selector: &Selector) {
        let Moment { at, edges, offset } = self.tree.moment(selector);
        self.series(selector);
        self.at(at);
        self.edges(edges);
        self.offset(offset);
    }

    /// Values over a time: what belongs to the selector comes after the brackets.
    fn values(&mut self, selector: ExpressionId, range: Span) {
        let Expression::Selector(selector) = &self.tree.node(selector).expression else { return };
        let Moment { at, edges, offset } = self.tree.moment(selector);
        self.series(selector);
        self.out.push('[');
        self.span(range);
        self.out.push(']');
        self.edges(edges);
        self.at(at);
        self.offset(offset);
    }

    /// The name and the conditions, in the order of their texts.
    fn series(&mut self, selector: &Selector) {
        let name = self.tree.name(selector);
        self.out.push_str(name);
        let name = name.as_bytes();
        let matchers = part(&self.tree.matchers, selector.matchers);
        // A condition that only says the name again is left out.
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

    fn offset(&mut self, offset: Span) {
        match offset {
            Span::Nanoseconds(0) => {}
            Span::Nanoseconds(nanoseconds) => {
                self.out.push_str(if nanoseconds < 0 { " offset -" } else { " offset " });
                self.nanoseconds(nanoseconds.wrapping_abs());
            }
            Span::Computed(id) => {
                self.out.push_str(" offset ");
                self.duration(id);
            }
        }
    }

    fn nanoseconds(&mut self, nanoseconds: i64) {
        let _ = write!(self.out, "{}", Written(nanoseconds));
    }

    fn span(&mut self, span: Span) {
        match span {
            Span::Nanoseconds(nanoseconds) => self.nanoseconds(nanoseconds),
            Span::Computed(id) => self.duration(id),
        }
    }

    fn duration(&mut self, id: DurationId) {
        let node = self.tree.duration(id);
        if node.parentheses {
            self.out.push('(');
        }
        match node.duration {
            Duration::Literal { value, duration } => self.number(value, duration),
            Duration::Step => self.out.push_str("step()"),
            Duration::Range => self.out.push_str("range()"),
            Duration::Largest(left, right) => self.pair(("max_of(", ", ", ")"), left, right),
            Duration::Smallest(left, right) => self.pair(("min_of(", ", ", ")"), left, right),
            Duration::Negative(operand) => {
                self.out.push('-');
                self.duration(operand);
            }
            Duration::Positive(operand) => self.duration(operand),
            Duration::Binary(operator, left, right) => {
                self.duration(left);
                let _ = write!(self.out, " {} ", operator.text());
                self.duration(right);
            }
        }
        if node.parentheses {
            self.out.push(')');
        }
    }

    fn pair(&mut self, around: (&str, &str, &str), left: DurationId, right: DurationId) {
        self.out.push_str(around.0);
        self.duration(left);
        self.out.push_str(around.1);
        self.duration(right);
        self.out.push_str(around.2);
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

/// A number in the shortest form, with an exponent if it is very large or very small.
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
