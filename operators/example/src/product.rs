//! The product: what the program, the manifests and the documents need to know about this operator.

use api_example::ExampleApp;
use kernel::hub::Registration;
use product::{Definition, InputDocument, Product, ProductInstance, RenderOutput, Setup};

use crate::render::render;
use crate::{DECLARATION, ExampleOperator};

/// The operator of `ExampleApp`.
pub const PRODUCT: Product = Product {
    name: "example",
    serves: "`ExampleApp`",
    declarations: &[&DECLARATION],
    definitions: || Ok(vec![Definition::of::<ExampleApp>()]),
    render: |documents| {
        let mut rendered = RenderOutput::default();
        for document in &documents {
            add(document, &mut rendered);
        }
        rendered
    },
    start: |settings| Box::new(settings.get::<ExampleOperator>().cloned().unwrap_or_default()),
    ..Product::NOTHING
};

impl ProductInstance for ExampleOperator {
    fn controllers(&self, setup: &Setup) -> Vec<Registration> {
        vec![setup.controller(self.clone(), None)]
    }
}

/// The objects for an `ExampleApp`, in the order in which they are applied.
fn add(document: &InputDocument, rendered: &mut RenderOutput) {
    if document.is_shared() {
        return;
    }
    let name = document.name();
    let app: ExampleApp = match serde_json::from_value(document.value.clone()) {
        Ok(app) => app,
        Err(error) => return rendered.failures.push(format!("{name}: it cannot be read: {error}")),
    };
    match render(&app) {
        Ok(desired) => desired.iter().for_each(|desired| rendered.add(&desired.object)),
        Err(invalid) => rendered.failures.push(format!("{name}: {}: {}", invalid.reason, invalid.message)),
    }
}
