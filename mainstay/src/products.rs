//! The operators of this program. A new operator is one line in [`ALL`]; everything else follows from what it exports.

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
use kernel::stores::{Namespaces, Scopes, WatchFilter};
use kernel::webhook::Routes;
use kube::Client;
use product::{Definition, Product, ProductInstance, ProductSettings, Setup};
use tokio_util::sync::CancellationToken;

/// All operators.
pub const ALL: &[&Product] = &[
    // In the order of the reference pages.
    &operator_example::PRODUCT,
    &operator_monitoring::PRODUCT,
];

/// Parses the name of an operator.
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

/// The definitions of all resources as one YAML stream.
pub fn definitions_as_yaml() -> Result<String> {
    let mut stream = String::new();
    for definition in definitions()? {
        stream.push_str("---\n");
        stream.push_str(&definition.yaml()?);
    }
    Ok(stream)
}

/// The webhooks of all operators, including those that do not run.
pub fn routes(catalogue: &mut Catalogue) -> Routes {
    let webhooks = ALL.iter().filter_map(|product| product.webhooks);
    webhooks.fold(Routes::default(), |all, webhooks| all.merge((webhooks.routes)(catalogue)))
}

/// The operators that run, each with its settings.
pub struct RunningProducts(Vec<(&'static Product, Box<dyn ProductInstance>)>);

impl RunningProducts {
    /// Starts operators.
    pub fn start(products: &[&'static Product], settings: &ProductSettings) -> Self {
        Self(products.iter().map(|product| (*product, (product.start)(settings))).collect())
    }

    /// A single operator that has been started.
    pub fn only(product: &'static Product, instance: impl ProductInstance + 'static) -> Self {
        Self(vec![(product, Box::new(instance))])
    }

    /// The declarations of their controllers.
    pub fn declarations(&self) -> Vec<&'static Declaration> {
        self.0.iter().flat_map(|(product, _)| product.declarations).copied().collect()
    }

    /// The plural names of all resources that they request from the API server: the labels of request metrics.
    pub fn resources(&self) -> impl Iterator<Item = &'static str> {
        let declared = self.0.iter().flat_map(|(product, _)| product.declarations);
        let tasks = self.0.iter().flat_map(|(product, _)| product.tasks);
        let of_tasks = tasks.flat_map(|one| one.all_permissions()).map(|permission| permission.resource);
        declared.flat_map(|one| one.kinds()).map(|kind| kind.plural).chain(of_tasks)
    }

    /// Registers their metrics, and returns observers of what happens in the process.
    pub fn register(&mut self, catalogue: &mut Catalogue, metrics: &Metrics) -> Vec<Arc<dyn Observer>> {
        self.0.iter_mut().flat_map(|(_, instance)| instance.register(catalogue, metrics)).collect()
    }

    /// Lets them query the API server.
    pub async fn prepare(&mut self, client: &Client) {
        for (_, instance) in &mut self.0 {
            instance.prepare(client).await;
        }
    }

    /// Their controllers.
    pub fn controllers(&self, setup: &Setup) -> Vec<Registration> {
        self.0.iter().flat_map(|(_, instance)| instance.controllers(setup)).collect()
    }

    /// Their tasks besides the controllers. They write only while the process is the leader.
    pub fn tasks(
        &self,
        client: &Client,
        leadership: &Leadership,
        stop: &CancellationToken,
    ) -> Vec<BoxFuture<'static, ()>> {
        let task = |(_, instance): &(&'static Product, Box<dyn ProductInstance>)| {
            let leadership = leadership.clone();
            instance.task(client, Arc::new(move || leadership.may_write()), stop.clone())
        };
        self.0.iter().filter_map(task).collect()
    }

    /// Ends when one of them would watch more after a restart of the process.
    pub async fn needs_restart(&self, client: &Client) {
        let mut all: FuturesUnordered<_> = self.0.iter().map(|(_, one)| one.needs_restart(client)).collect();
        if all.next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// The namespaces that the process watches: for each kind those of all operators that declare it.
    pub fn scopes(&self, namespaces: &Namespaces) -> Scopes {
        let mut joined = Scopes::from(namespaces.clone());
        let mut filters: BTreeMap<Kind, Vec<WatchFilter>> = BTreeMap::new();
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
        // One operator may need what another one filters out.
        let same = |(kind, all): (Kind, Vec<WatchFilter>)| {
            let first = all.first()?.clone();
            (first != WatchFilter::default() && all.iter().all(|one| *one == first)).then_some((kind, first))
        };
        joined.filters = filters.into_iter().filter_map(same).collect();
        joined
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::StatefulSet;
    use kernel::declare::Kind;
    use operator_monitoring::flags::OperatorFlags;

    use super::*;

    #[test]
    fn an_operator_with_fewer_namespaces_does_not_restrict_others() {
        let flags = [
            "--prometheus-instance-namespaces=b",
            "--alertmanager-instance-namespaces=b",
            "--thanos-ruler-instance-namespaces=b",
        ];
        let (flags, _) = OperatorFlags::default().take(&flags, &[]).unwrap();
        let mut settings = ProductSettings::new();
        settings.insert(flags);
        let everywhere = Namespaces::AllBut(Vec::new());
        let of = |products: &[&'static Product]| {
            let scopes = RunningProducts::start(products, &settings).scopes(&everywhere);
            scopes.of(Kind::of::<StatefulSet>()).clone()
        };
        assert_eq!(of(&[ALL[1]]), Namespaces::Only(vec!["b".into()]));
        assert_eq!(of(ALL), everywhere);
    }
}
