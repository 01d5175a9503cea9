//! What the API server supports, according to its version, as the Prometheus Operator decides it.

use formats::version::{self, NotAVersion, Version};
use monitoring_scrape::Offers;

/// The first version with stable EndpointSlices.
const ENDPOINT_SLICES: Version = Version::new(1, 21, 0);

/// The first version that copies the topology labels of nodes to their pods.
const POD_TOPOLOGY_LABELS: Version = Version::new(1, 35, 0);

/// The offers with an API server of a version such as `v1.35.2+k3s1`.
pub fn on(server: &str, offers: Offers) -> Result<Offers, NotAVersion> {
    let server = version::parse(server)?;
    Ok(Offers {
        endpoint_slices: server >= ENDPOINT_SLICES,
        pod_topology_labels: server >= POD_TOPOLOGY_LABELS,
        ..offers
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_depend_on_the_version_of_the_api_server() {
        for (server, endpoint_slices, pod_topology_labels) in [
            ("v1.36.0", true, true),
            ("v1.35.0+k3s1", true, true),
            ("v1.35.1-eks-123abc", true, true),
            // A release candidate comes before the release.
            ("v1.35.0-rc.1", true, false),
            ("v1.34.9", true, false),
            ("1.21.0", true, false),
            ("v1.20.15", false, false),
        ] {
            let before = Offers { topology_sharding: true, ..Offers::default() };
            let expected = Offers { endpoint_slices, pod_topology_labels, ..before };
            assert_eq!(on(server, before), Ok(expected), "{server}");
        }
        assert!(on("current", Offers::default()).is_err());
    }
}
