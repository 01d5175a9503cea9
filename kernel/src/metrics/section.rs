//! The part of the catalogue whose names begin alike. Where Mainstay stands in for another operator, the dashboards and
//! alerts of that operator find the names that they ask for.

use std::fmt;

use prometheus_client::encoding::EncodeMetric;
use prometheus_client::metrics::TypedMetric;
use prometheus_client::metrics::family::{Family, MetricConstructor};

use super::catalogue::{Catalogue, Kind};
use super::family::{Buckets, Counters, Gauges, Histograms, Labelled, Labels};
use super::measured::{Measured, Samples};

/// A text of the program.
type Text = &'static str;

/// A part of the catalogue.
#[derive(Debug)]
pub struct Section<'c> {
    pub(super) catalogue: &'c mut Catalogue,
    pub(super) prefix: &'static str,
}

impl Section<'_> {
    /// Counters. Their name is given without the prefix and without `_total`, which both are added.
    pub fn counters<const N: usize>(&mut self, name: Text, labels: [Text; N], help: Text) -> Counters<N> {
        let name = self.describe(name, Kind::Counter, &labels, help);
        self.register((name, help), labels, Family::default())
    }

    /// Gauges. Their name is given without the prefix.
    pub fn gauges<const N: usize>(&mut self, name: Text, labels: [Text; N], help: Text) -> Gauges<N> {
        let name = self.describe(name, Kind::Gauge, &labels, help);
        self.register((name, help), labels, Family::default())
    }

    /// Histograms. Their name is given without the prefix, and with the unit.
    pub fn histograms<const N: usize>(
        &mut self,
        name: Text,
        labels: [Text; N],
        help: Text,
        buckets: &'static [f64],
    ) -> Histograms<N> {
        let name = self.describe(name, Kind::Histogram, &labels, help);
        self.register((name, help), labels, Family::new_with_constructor(Buckets(buckets)))
    }

    /// Gauges that are read whenever the page is read. Unlike counted ones they may name objects: a series goes with its
    /// object.
    pub fn measured_gauges<const N: usize>(
        &mut self,
        name: Text,
        labels: [Text; N],
        help: Text,
        look: impl Fn() -> Samples<N> + Send + Sync + 'static,
    ) {
        let (kind, name) = (Kind::Gauge, self.describe(name, Kind::Gauge, &labels, help));
        self.catalogue.registry.register_collector(Box::new(Measured { name, kind, labels, help, look }));
    }

    /// Counters that are kept elsewhere and read whenever the page is read.
    pub fn measured_counters<const N: usize>(
        &mut self,
        name: Text,
        labels: [Text; N],
        help: Text,
        look: impl Fn() -> Samples<N> + Send + Sync + 'static,
    ) {
        let (kind, name) = (Kind::Counter, self.describe(name, Kind::Counter, &labels, help));
        self.catalogue.registry.register_collector(Box::new(Measured { name, kind, labels, help, look }));
    }

    /// Adds a family to the catalogue. Its full name; that of a counter without its end.
    fn describe(&mut self, name: Text, kind: Kind, labels: &[Text], help: Text) -> String {
        let name = if self.prefix.is_empty() { name.to_owned() } else { format!("{}_{name}", self.prefix) };
        self.catalogue.note(&name, kind, labels, help);
        name
    }

    fn register<const N: usize, M, C>(
        &mut self,
        (name, help): (String, Text),
        names: [Text; N],
        family: Family<Labels<N>, M, C>,
    ) -> Labelled<N, M, C>
    where
        M: EncodeMetric + TypedMetric + fmt::Debug + Send + Sync + 'static,
        C: MetricConstructor<M> + Clone + fmt::Debug + Send + Sync + 'static,
    {
        self.catalogue.registry.register(name, help, family.clone());
        Labelled { names, family }
    }
}
