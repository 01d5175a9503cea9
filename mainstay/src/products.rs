//! The operators of this program. A new one is one line in [`ALL`]; everything else follows from what it exports.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use kernel::declare::{Declaration, Kind};
use kernel::hub::Registration;
use kernel::lease::Leadership;
use kernel::metrics::{Catalogue, Metrics, Observer};
use kernel::stores::{Filter, Namespaces, Scopes};
use kernel::webhook::Routes;
use kube::Client;
use product::{Definition, Instance, Product, Settings, Setup};
use tokio_util::sync::CancellationToken;

/// All of them.
pub const ALL: &[&Product] = &[
    // In the order of the reference pages.
    &operator_example::PRODUCT,
    &operator_monitoring::PRODUCT,
];

/// Reads the name of one.
pub fn parser() -> impl TypedValueParser<Value = &'static Product> {
    let names = ALL.iter().map(|one| PossibleValue::new(one.name).help(one.serves));
    PossibleValuesParser::new(names)
        .map(|name| ALL.iter().copied().find(|one| one.name == name).unwrap_or(ALL[0]))
}

/// The definitions of all resources.
pub fn definitions() -> Result<Vec<Definition>> {
    let mut all = Vec::new();
    for product in ALL {
        all.extend((product.definitions)()?);
    }
    Ok(all)
}

/// All of them as one YAML stream.
pub fn definitions_as_yaml() -> Result<String> {
    let mut stream = String::new();
    for definition in definitions()? {
        stream.push_str("---\n");
        stream.push_str(&definition.yaml()?);
    }
    Ok(stream)
}

/// What the webhooks of all products answer, also of those that do not run.
pub fn routes(catalogue: &mut Catalogue) -> Routes {
    let webhooks = ALL.iter().filter_map(|product| product.webhooks);
    webhooks.fold(Routes::default(), |all, webhooks| all.merge((webhooks.routes)(catalogue)))
}

/// Products that run, each with its settings.
pub struct Running(Vec<(&'static Product, Box<dyn Instance>)>);

impl Running {
    /// Starts some.
    pub fn start(products: &[&'static Product], settings: &Settings) -> Self {
        Self(products.iter().map(|product| (*product, (product.start)(settings))).collect())
    }

    /// One that was started already.
    pub fn only(product: &'static Product, instance: impl Instance + 'static) -> Self {
        Self(vec![(product, Box::new(instance))])
    }

    /// What their controllers watch, own and may do.
    pub fn declarations(&self) -> Vec<&'static Declaration> {
        self.0.iter().flat_map(|(product, _)| product.declarations).copied().collect()
    }

    /// All resources that they ask the API server for, by their plural names: requests are counted by them.
    pub fn resources(&self) -> impl Iterator<Item = &'static str> {
        let declared = self.0.iter().flat_map(|(product, _)| product.declarations);
        let tasks = self.0.iter().flat_map(|(product, _)| product.tasks);
        let of_tasks = tasks.flat_map(|one| one.all_permissions()).map(|permission| permission.resource);
        declared.flat_map(|one| one.kinds()).map(|kind| kind.plural).chain(of_tasks)
    }

    /// Registers what they count. What it returns hears what happens in the process.
    pub fn register(&mut self, catalogue: &mut Catalogue, metrics: &Metrics) -> Vec<Arc<dyn Observer>> {
        self.0.iter_mut().flat_map(|(_, instance)| instance.register(catalogue, metrics)).collect()
    }

    /// Lets them ask the API server what only it knows.
    pub async fn prepare(&mut self, client: &Client) {
        for (_, instance) in &mut self.0 {
            instance.prepare(client).await;
        }
    }

    /// Their controllers.
    pub fn controllers(&self, setup: &Setup) -> Vec<Registration> {
        self.0.iter().flat_map(|(_, instance)| instance.controllers(setup)).collect()
    }

    /// What runs beside the controllers. It writes only while the process leads.
    pub fn tasks(
        &self,
        client: &Client,
        leadership: &Leadership,
        stop: &CancellationToken,
    ) -> Vec<BoxFuture<'static, ()>> {
        let task = |(_, instance): &(&'static Product, Box<dyn Instance>)| {
            let leadership = leadership.clone();
            instance.task(client, Arc::new(move || leadership.may_write()), stop.clone())
        };
        self.0.iter().filter_map(task).collect()
    }

    /// Ends when one of them would look at more after a restart of the process.
    pub async fn outgrown(&self, client: &Client) {
        let mut all: FuturesUnordered<_> = self.0.iter().map(|(_, one)| one.outgrown(client)).collect();
        if all.next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Where the process looks: for each kind in the namespaces of all products that declare it.
    pub fn scopes(&self, namespaces: &Namespaces) -> Scopes {
        let mut joined = Scopes::from(namespaces.clone());
        let mut filters: BTreeMap<Kind, Vec<Filter>> = BTreeMap::new();
        for (product, instance) in &self.0 {
            let scopes = instance.scopes(namespaces);
            let kinds: BTreeSet<Kind> = product.declarations.iter().flat_map(|one| one.kinds()).collect();
            for kind in kinds {
                let of_kind = scopes.of(kind);
                let all = joined.some.remove(&kind).map_or_else(|| of_kind.clone(), |some| some.or(of_kind));
                joined.some.insert(kind, all);
                filters.entry(kind).or_default().push(scopes.filters.get(&kind).cloned().unwrap_or_default());
            }
        }
        // What one product leaves out, another may need.
        let same = |(kind, all): (Kind, Vec<Filter>)| {
            let first = all.first()?.clone();
            (first != Filter::default() && all.iter().all(|one| *one == first)).then_some((kind, first))
        };
        joined.filters = filters.into_iter().filter_map(same).collect();
        joined
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::StatefulSet;
    use kernel::declare::Kind;
    use operator_monitoring::flags::Flags;

    use super::*;

    #[test]
    fn what_one_product_narrows_another_still_sees() {
        let flags = [
            "--prometheus-instance-namespaces=b",
            "--alertmanager-instance-namespaces=b",
            "--thanos-ruler-instance-namespaces=b",
        ];
        let (flags, _) = Flags::default().take(&flags, &[]).unwrap();
        let mut settings = Settings::new();
        settings.insert(flags);
        let everywhere = Namespaces::AllBut(Vec::new());
        let of = |products: &[&'static Product]| {
            Running::start(products, &settings).scopes(&everywhere).of(Kind::of::<StatefulSet>()).clone()
        };
        assert_eq!(of(&[ALL[1]]), Namespaces::Only(vec!["b".into()]));
        assert_eq!(of(ALL), everywhere);
    }
}
