//! Type checks of a query: the types of expressions, and the types of arguments and operands.

use std::collections::BTreeSet;

use go_syntax::quoted::{Quoted, QuotedBytes};

use crate::error::Error;
use crate::function::{Function, More};
use crate::lexer::is_space;
use crate::parser::NAME;
use crate::token::{Aggregation, BinaryOperator};
use crate::tree::{Expression, ExpressionId, Grouping, IndexRange, Tree, VectorSelector, part};
use crate::types::ValueType;

/// Checks a query. Vector matching is removed from operations that do not have two vectors.
pub(crate) fn check(tree: &mut Tree<'_>, query: &str) -> Result<(), Error> {
    let root = tree.root;
    Checker { tree, query }.expression(root).map(|_| ())
}

struct Checker<'c, 'q> {
    tree: &'c mut Tree<'q>,
    query: &'c str,
}

impl Checker<'_, '_> {
    fn error<T>(&self, position: usize, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::new(self.query, position, message))
    }

    /// The type of a valid expression.
    fn expression(&mut self, id: ExpressionId) -> Result<ValueType, Error> {
        let start = self.tree.start(id);
        match &self.tree.node(id).expression {
            Expression::Number { .. } => Ok(ValueType::Scalar),
            Expression::Text(_) => Ok(ValueType::Text),
            Expression::Parentheses(inner) => {
                let inner = *inner;
                self.expression(inner)
            }
            Expression::Sign { operand, .. } => {
                let operand = *operand;
                let given = self.expression(operand)?;
                if given == ValueType::Scalar || given == ValueType::Vector {
                    return Ok(given);
                }
                let given = Quoted(&given.to_string()).to_string();
                self.error(start, format!("unary expression only allowed on expressions of type scalar or instant vector, got {given}"))
            }
            Expression::Binary { .. } => self.chain(id),
            Expression::Call { function, arguments } => {
                let (function, arguments) = (*function, *arguments);
                self.call(start, function, arguments)
            }
            Expression::Aggregate { aggregation, operand, parameter, .. } => {
                let (aggregation, operand, parameter) = (*aggregation, *operand, *parameter);
                self.aggregate(aggregation, operand, parameter)
            }
            Expression::Selector(selector) => {
                self.selector(start, selector)?;
                Ok(ValueType::Vector)
            }
            Expression::Matrix { selector, .. } => {
                let selector = *selector;
                self.expression(selector)?;
                Ok(ValueType::Matrix)
            }
            Expression::Subquery { operand, .. } => {
                let operand = *operand;
                let given = self.expression(operand)?;
                if given == ValueType::Vector {
                    return Ok(ValueType::Matrix);
                }
                let given = given.short();
                self.error(start, format!("subquery is only allowed on instant vector, got {given} instead"))
            }
        }
    }

    /// A chain of operators. Left operands are the deeper ones, and there can be thousands.
    fn chain(&mut self, outermost: ExpressionId) -> Result<ValueType, Error> {
        let mut chain = vec![outermost];
        let mut innermost = outermost;
        while let Expression::Binary { left, .. } = self.tree.node(innermost).expression {
            innermost = left;
            chain.push(left);
        }
        chain.pop();
        let mut given = self.expression(innermost)?;
        while let Some(id) = chain.pop() {
            let Expression::Binary { right, .. } = self.tree.node(id).expression else { continue };
            let right = self.expression(right)?;
            given = self.binary(id, given, right)?;
        }
        Ok(given)
    }

    fn binary(
        &mut self,
        id: ExpressionId,
        left_type: ValueType,
        right_type: ValueType,
    ) -> Result<ValueType, Error> {
        let Expression::Binary { operator, bool, left, right, matching } = self.tree.node(id).expression
        else {
            return Ok(left_type);
        };
        let both = |kind| left_type == kind && right_type == kind;
        if bool && !operator.compares() {
            return self.error(self.operator(left), "bool modifier can only be used on comparison operators");
        }
        if operator.compares() && !bool && both(ValueType::Scalar) {
            return self.error(self.operator(left), "comparisons between scalars must use BOOL modifier");
        }
        self.check_duplicate_labels(matching, left)?;
        for (side, given) in [(left, left_type), (right, right_type)] {
            if given != ValueType::Scalar && given != ValueType::Vector {
                return self.error(
                    self.tree.start(side),
                    "binary expression must contain only scalar and instant vector types",
                );
            }
        }
        self.matching(id, operator, both(ValueType::Vector))?;
        if operator.joins_sets() && !both(ValueType::Vector) {
            return self.error(
                self.tree.start(id),
                format!("set operator {} not allowed in binary scalar expression", Quoted(operator.text())),
            );
        }
        Ok(if both(ValueType::Scalar) { ValueType::Scalar } else { ValueType::Vector })
    }

    /// The position of the operator.
    fn operator(&self, left: ExpressionId) -> usize {
        let end = self.tree.end(left);
        let rest = self.query.as_bytes().get(end..).unwrap_or_default();
        end + rest.iter().position(|byte| !is_space(*byte)).unwrap_or(rest.len())
    }

    /// A label cannot be both in `on` and in `group_left` or `group_right`.
    fn check_duplicate_labels(&self, matching: Option<u32>, left: ExpressionId) -> Result<(), Error> {
        let Some(matching) = matching.map(|index| &self.tree.matchings[index as usize]) else {
            return Ok(());
        };
        // A set, because a query can have many thousands of labels in both lists.
        let include: BTreeSet<&[u8]> =
            part(&self.tree.labels, matching.include).iter().map(|label| &**label).collect();
        let mut labels = part(&self.tree.labels, matching.labels).iter();
        match labels.find(|label| include.contains::<[u8]>(label)) {
            Some(label) if matching.on => self.error(
                self.operator(left),
                format!("label {} must not occur in ON and GROUP clause at once", QuotedBytes(label)),
            ),
            _ => Ok(()),
        }
    }

    /// Vector matching needs two vectors, and set operators allow no grouping.
    fn matching(&mut self, id: ExpressionId, operator: BinaryOperator, vectors: bool) -> Result<(), Error> {
        let start = self.tree.start(id);
        let Expression::Binary { matching: index, .. } = &mut self.tree.expressions[id.0 as usize].expression
        else {
            return Ok(());
        };
        let Some(matching) = index.map(|index| &self.tree.matchings[index as usize]) else { return Ok(()) };
        let fills = matching.fill_left.is_some() || matching.fill_right.is_some();
        let message = if !vectors {
            *index = None;
            if !matching.labels.is_empty() {
                "vector matching only allowed between instant vectors".to_owned()
            } else if fills {
                "filling in missing series only allowed between instant vectors".to_owned()
            } else {
                return Ok(());
            }
        } else if !operator.joins_sets() {
            return Ok(());
        } else if matching.grouping != Grouping::None {
            format!("no grouping allowed for {} operation", Quoted(operator.text()))
        } else if fills {
            "filling in missing series not allowed for set operators".to_owned()
        } else {
            return Ok(());
        };
        self.error(start, message)
    }

    fn aggregate(
        &mut self,
        aggregation: Aggregation,
        operand: ExpressionId,
        parameter: Option<ExpressionId>,
    ) -> Result<ValueType, Error> {
        self.expect(operand, ValueType::Vector, "aggregation expression")?;
        if let Some(parameter) = parameter {
            let takes_text = aggregation == Aggregation::CountValues;
            let wanted = if takes_text { ValueType::Text } else { ValueType::Scalar };
            self.expect(parameter, wanted, "aggregation parameter")?;
        }
        Ok(ValueType::Vector)
    }

    fn expect(&mut self, id: ExpressionId, wanted: ValueType, context: &str) -> Result<(), Error> {
        let given = self.expression(id)?;
        if given == wanted {
            return Ok(());
        }
        self.error(self.tree.start(id), format!("expected type {wanted} in {context}, got {given}"))
    }

    fn call(
        &mut self,
        start: usize,
        function: &'static Function,
        arguments: IndexRange,
    ) -> Result<ValueType, Error> {
        let (wanted, given) = (function.parameters.len(), (arguments.end - arguments.start) as usize);
        let (least, most) = match function.more {
            More::Fixed => (wanted, Some(wanted)),
            More::UpTo(times) => (wanted - 1, Some(wanted - 1 + times)),
            More::Any => (wanted - 1, None),
        };
        let bound = match most {
            Some(most) if function.more == More::Fixed && given != most => format!("{most}"),
            _ if given < least => format!("at least {least}"),
            Some(most) if given > most => format!("at most {most}"),
            _ => String::new(),
        };
        if !bound.is_empty() {
            let name = Quoted(function.name);
            return self.error(start, format!("expected {bound} argument(s) in call to {name}, got {given}"));
        }
        if function.name == "info"
            && let [_, labels, ..] = part(&self.tree.arguments, arguments)
        {
            let labels = *labels;
            self.labels_of_info(start, labels)?;
        }
        for index in 0..given {
            if function.name == "info" && index == 1 {
                // Its labels were checked before, and an empty selector is allowed here.
                continue;
            }
            let argument = self.tree.arguments[arguments.start as usize + index];
            let wanted = function.parameters[index.min(wanted - 1)];
            let context = || format!("call to function {}", Quoted(function.name));
            let given = self.expression(argument)?;
            if given != wanted {
                let context = context();
                return self.error(
                    self.tree.start(argument),
                    format!("expected type {wanted} in {context}, got {given}"),
                );
            }
        }
        Ok(function.result)
    }

    /// The second argument of `info` has only label matchers, or none.
    fn labels_of_info(&self, start: usize, labels: ExpressionId) -> Result<(), Error> {
        let given = self.type_of(labels);
        if given != ValueType::Vector {
            let message = format!("expected type instant vector in call to function \"info\", got {given}");
            return self.error(start, message);
        }
        let place = self.tree.start(labels);
        let Expression::Selector(selector) = self.tree.node(labels).expression else {
            return self.error(place, "expected label selectors only");
        };
        if !selector.name.is_empty() {
            return self.error(place, "expected label selectors only, got vector selector instead");
        }
        Ok(())
    }

    /// The type of an expression that is not checked yet.
    fn type_of(&self, id: ExpressionId) -> ValueType {
        let mut id = id;
        loop {
            return match &self.tree.node(id).expression {
                Expression::Number { .. } => ValueType::Scalar,
                Expression::Text(_) => ValueType::Text,
                Expression::Parentheses(inner) | Expression::Sign { operand: inner, .. } => {
                    id = *inner;
                    continue;
                }
                Expression::Binary { left, right, .. } => {
                    // The result is scalar only if all operands are.
                    if self.type_of(*right) != ValueType::Scalar {
                        return ValueType::Vector;
                    }
                    if !matches!(self.tree.node(*left).expression, Expression::Binary { .. }) {
                        let scalar = self.type_of(*left) == ValueType::Scalar;
                        return if scalar { ValueType::Scalar } else { ValueType::Vector };
                    }
                    id = *left;
                    continue;
                }
                Expression::Call { function, .. } => function.result,
                Expression::Aggregate { .. } | Expression::Selector(_) => ValueType::Vector,
                Expression::Matrix { .. } | Expression::Subquery { .. } => ValueType::Matrix,
            };
        }
    }

    /// A selector names its metric at most once, and has a matcher that does not match the empty string.
    fn selector(&self, start: usize, selector: &VectorSelector) -> Result<(), Error> {
        let matchers = part(&self.tree.matchers, selector.matchers);
        if !selector.name.is_empty() {
            return match matchers.iter().find(|matcher| *matcher.name == *NAME.as_bytes()) {
                None => Ok(()),
                Some(matcher) => {
                    let (name, value) = (Quoted(self.tree.name(selector)), QuotedBytes(&matcher.value));
                    self.error(start, format!("metric name must not be set twice: {name} or {value}"))
                }
            };
        }
        if matchers.iter().any(|matcher| !matcher.matches_empty) {
            return Ok(());
        }
        self.error(start, "vector selector must contain at least one non-empty matcher")
    }
}
