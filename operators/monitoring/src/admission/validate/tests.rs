//! Whole receivers and routes: what is rejected, and with which message.

#![expect(clippy::needless_pass_by_value, reason = "tables of cases, written in place")]

use serde_json::{Value, json};

use super::*;

fn outcome(spec: Value, version: ApiVersion) -> String {
    let spec: AlertmanagerConfigSpec = serde_json::from_value(spec).unwrap();
    check(&spec, version).map_or_else(|problem| problem.to_string(), |()| "valid".to_owned())
}

fn receiver(kind: &str, config: Value) -> String {
    let message = outcome(json!({"receivers": [{"name": "r", kind: [config]}]}), ApiVersion::V1Alpha1);
    message
        .strip_prefix(&format!("failed to validate receiver \"r\": '{kind}'[0]: "))
        .unwrap_or(&message)
        .to_owned()
}

#[test]
fn receivers_are_rejected_by_their_own_rules() {
    let key = || json!({"name": "s", "key": "k"});
    for (kind, config, message) in [
        ("emailConfigs", json!({}), "missing 'to' address"),
        (
            "emailConfigs",
            json!({"to": "a", "headers": [{"key": "Subject"}, {"key": "SUBJECT"}]}),
            r#"duplicate header "subject""#,
        ),
        (
            "opsgenieConfigs",
            json!({"responders": [{"name": "n", "type": "x"}]}),
            "opsGenieConfig responder { n  x} type does not match valid options ^(team|teams|user|escalation|schedule)$",
        ),
        ("opsgenieConfigs", json!({"responders": [{"id": "i", "type": "Teams"}]}), "valid"),
        (
            "opsgenieConfigs",
            json!({"responders": [{"id": "i", "type": "{{"}]}),
            "responder {i   {{} type is not a valid template: template: :1: unclosed action",
        ),
        ("snsConfigs", json!({}), "must provide one of 'targetARN', 'topicARN', or 'phoneNumber'"),
        ("snsConfigs", json!({"targetARN": "a"}), "valid"),
        (
            "snsConfigs",
            json!({"targetARN": "a", "topicARN": "b"}),
            "must provide one of 'targetARN', 'topicARN', or 'phoneNumber'",
        ),
        ("telegramConfigs", json!({"chatID": 1}), "mandatory field botToken or botTokenfile is empty"),
        (
            "telegramConfigs",
            json!({"chatID": 1, "botToken": key(), "botTokenFile": "f"}),
            "only one of 'botToken' or 'botTokenfile' must be configured",
        ),
        (
            "victoropsConfigs",
            json!({"routingKey": "a", "customFields": [{"key": "entity_id"}]}),
            r#"usage of reserved word "entity_id" is not allowed in custom fields"#,
        ),
        (
            "rocketchatConfigs",
            json!({"actions": [{}, {"url": "x"}]}),
            r#"'actions'[1]: invalid 'url': validate url from string failed with error: unsupported scheme "" for URL"#,
        ),
        (
            "webexConfigs",
            json!({"apiURL": "http://"}),
            "invalid 'apiURL': validate url from string failed for http://: missing host for URL",
        ),
    ] {
        assert_eq!(receiver(kind, config), message, "{kind}");
    }
}

#[test]
fn clients_authenticate_in_one_way() {
    const ONE: &str = "at most one of 'basicAuth', 'oauth2' and 'authorization' must be configured";
    let key = || json!({"name": "s", "key": "k"});
    let oauth2 = || json!({"clientId": {"secret": key()}, "clientSecret": key(), "tokenUrl": "http://a"});
    for (http, message) in [
        (json!({}), "valid"),
        (json!({"oauth2": oauth2()}), "valid"),
        (
            json!({"basicAuth": {}, "bearerTokenSecret": key()}),
            "at most one of 'basicAuth', 'oauth2' and 'bearerTokenSecret' must be configured",
        ),
        (
            json!({"authorization": {"credentials": key()}, "bearerTokenSecret": key()}),
            "'authorization' is not compatible with 'bearerTokenSecret'",
        ),
        (json!({"authorization": {"credentials": key()}, "basicAuth": {}}), ONE),
        (json!({"oauth2": oauth2(), "basicAuth": {}}), ONE),
        (json!({"authorization": {}}), "'authorization' credentials are required"),
        (
            json!({"authorization": {"type": " BASIC ", "credentials": key()}}),
            "'authorization' type cannot be set to \"basic\", use \"basicAuth\" instead",
        ),
        (json!({"oauth2": {}}), "OAuth2 tokenURL must be specified"),
        (json!({"oauth2": {"tokenUrl": "http://a"}}), "OAuth2 'clientID' must be specified"),
        (
            json!({"tlsConfig": {"ca": {"secret": key(), "configMap": key()}}}),
            "ca <secret=s,key=k>: cannot specify both Secret and ConfigMap",
        ),
        (json!({"tlsConfig": {"keySecret": key()}}), "client key specified without client cert"),
        (json!({"tlsConfig": {"cert": {"secret": key()}}}), "client cert specified without client key"),
        (
            json!({"tlsConfig": {"minVersion": "TLS13", "maxVersion": "TLS12"}}),
            "maxVersion must more than or equal to minVersion",
        ),
        (json!({"noProxy": "a"}), "if noProxy is configured, proxyUrl must also be configured"),
        (
            json!({"proxyFromEnvironment": true, "proxyUrl": "http://a"}),
            "if proxyFromEnvironment is configured, proxyUrl must not be configured",
        ),
        (
            json!({"proxyFromEnvironment": true, "noProxy": "a"}),
            "if proxyFromEnvironment is configured, noProxy must not be configured",
        ),
        (
            json!({"proxyConnectHeader": {"a": [key()]}}),
            "if proxyConnectHeader is configured, proxyUrl or proxyFromEnvironment must also be configured",
        ),
        (
            json!({"proxyUrl": "http://a", "proxyConnectHeader": {"a": []}}),
            "proxyConnetHeader[a]: selector must not be empty",
        ),
        (json!({"proxyUrl": ":"}), r#"parse ":": missing protocol scheme"#),
    ] {
        let found = receiver("discordConfigs", json!({"httpConfig": http}));
        assert_eq!(found.strip_prefix("'httpConfig': ").unwrap_or(&found), message);
    }
}

#[test]
fn routes_refer_to_what_exists() {
    for (route, old, new) in [
        (json!({"receiver": "r", "routes": [{}]}), "valid", "valid"),
        (json!({}), "root route must define a receiver", "root route must define a receiver"),
        (
            json!({"receiver": "r", "groupBy": ["a", "a"]}),
            "duplicate values not permitted in route 'groupBy': [a a]",
            "duplicate values not permitted in route 'groupBy': [a a]",
        ),
        (
            json!({"receiver": "r", "muteTimeIntervals": ["x"]}),
            r#"mute time interval "x" not found"#,
            r#"time interval "x" not found"#,
        ),
        (
            json!({"receiver": "r", "activeTimeIntervals": ["x"]}),
            r#"time interval "x" not found"#,
            r#"time interval "x" not found"#,
        ),
        (
            json!({"receiver": "r", "routes": [{}, {"routes": [{"receiver": "x"}]}]}),
            r#"route[1]: route[0]: receiver "x" not found"#,
            r#"route[1]: route[0]: receiver "x" not found"#,
        ),
        (
            json!({"receiver": "r", "routes": [{"matchers": [{"name": "a", "regex": true}]}]}),
            "valid",
            r#"route[0]: json: unknown field "regex""#,
        ),
    ] {
        let spec = json!({"receivers": [{"name": "r"}], "route": route});
        assert_eq!(outcome(spec.clone(), ApiVersion::V1Alpha1), old);
        assert_eq!(outcome(spec, ApiVersion::V1Beta1), new);
    }
}
