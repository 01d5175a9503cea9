//! `web-config.yaml`: TLS and HTTP of a web server.

use api_monitoring::web::{WebConfigFileFields, WebHttpConfig, WebHttpHeaders, WebTlsConfig};
use formats::yaml::{self, Map, Value};

use crate::web::check::{self, WebConfigError};
use crate::web::credentials::TlsCredentials;
use crate::web::mount::{ConfigFile, Mount};

/// Name of the file, and its key in the Secret.
pub const FILE: &str = "web-config.yaml";

/// The volumes and mounts of the file, for a pod that mounts it below a directory from a Secret.
pub fn mount(directory: &str, secret: &str, fields: &WebConfigFileFields) -> Result<Mount, WebConfigError> {
    let file = ConfigFile { directory, name: FILE, secret, volume: "web-config" };
    let mut mount = Mount { argument: Some(file.argument("web.config.file")), ..file.mount() };
    if let Some(tls) = &fields.tls_config {
        check::server(tls)?;
        credentials(directory, tls).mount("web-config-tls-", &mut mount.volumes, &mut mount.mounts)?;
    }
    Ok(mount)
}

/// The file, for a pod that mounts it below a directory; empty, if nothing is set.
pub fn file(directory: &str, fields: &WebConfigFileFields) -> Result<String, WebConfigError> {
    let mut document = Map::new();
    if let Some(tls) = &fields.tls_config {
        check::server(tls)?;
        let credentials = credentials(directory, tls);
        let mut section = Map::new();
        put(&mut section, "cert_file", certificate_file(tls, &credentials));
        put(&mut section, "key_file", Some(key_file(tls, &credentials)));
        put_policy(&mut section, tls, &credentials);
        document.push("tls_server_config", section);
    }
    if let Some(http) = &fields.http_config {
        document.push("http_server_config", http_section(http));
    }
    if document.0.is_empty() {
        return Ok(String::new());
    }
    Ok(yaml::write(&document.into()))
}

/// The certificate, the key and the client CA of a server.
pub(crate) fn credentials<'c>(directory: &str, tls: &'c WebTlsConfig) -> TlsCredentials<'c> {
    TlsCredentials {
        directory: directory.to_owned(),
        key: &tls.key_secret,
        certificate: &tls.cert,
        authority: &tls.client_ca,
    }
}

/// The certificate of a server.
pub(crate) fn certificate_file(tls: &WebTlsConfig, credentials: &TlsCredentials<'_>) -> Option<String> {
    given(tls.cert_file.as_ref()).or_else(|| credentials.certificate_file())
}

/// The key of a server.
pub(crate) fn key_file(tls: &WebTlsConfig, credentials: &TlsCredentials<'_>) -> String {
    given(tls.key_file.as_ref()).unwrap_or_else(|| credentials.key_file())
}

/// Adds the client authentication, and the versions, ciphers and curves that the server accepts.
pub(crate) fn put_policy(section: &mut Map, tls: &WebTlsConfig, credentials: &TlsCredentials<'_>) {
    let authority = given(tls.client_ca_file.as_ref()).or_else(|| credentials.authority_file());
    put(section, "client_auth_type", given(tls.client_auth_type.as_ref()));
    put(section, "client_ca_file", authority);
    put(section, "min_version", given(tls.min_version.as_ref()));
    put(section, "max_version", given(tls.max_version.as_ref()));
    put_list(section, "cipher_suites", &tls.cipher_suites);
    put(section, "prefer_server_cipher_suites", tls.prefer_server_cipher_suites);
    put_list(section, "curve_preferences", &tls.curve_preferences);
}

/// Adds a field that has a value.
pub(crate) fn put(section: &mut Map, field: &'static str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        section.push(field, value);
    }
}

fn put_list(section: &mut Map, field: &'static str, list: &[String]) {
    put(section, field, (!list.is_empty()).then(|| list.to_vec()));
}

fn http_section(http: &WebHttpConfig) -> Map {
    let mut section = Map::new();
    put(&mut section, "http2", http.http2);
    put(&mut section, "headers", http.headers.as_ref().map(headers));
    section
}

/// Values that are names are written in lower case, as browsers expect them.
fn headers(headers: &WebHttpHeaders) -> Map {
    let mut map = Map::new();
    for (header, value) in [
        ("Content-Security-Policy", headers.content_security_policy.clone()),
        ("Strict-Transport-Security", headers.strict_transport_security.clone()),
        ("X-Content-Type-Options", headers.x_content_type_options.to_lowercase()),
        ("X-Frame-Options", headers.x_frame_options.to_lowercase()),
        ("X-XSS-Protection", headers.x_xss_protection.clone()),
    ] {
        put(&mut map, header, Some(value).filter(|value| !value.is_empty()));
    }
    map
}

fn given(text: Option<&String>) -> Option<String> {
    text.filter(|text| !text.is_empty()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_written_in_order_and_only_if_given() {
        let headers = WebHttpHeaders {
            content_security_policy: "default-src 'self'".into(),
            x_frame_options: "SameOrigin".into(),
            x_content_type_options: "NoSniff".into(),
            x_xss_protection: String::new(),
            strict_transport_security: "max-age=1".into(),
        };
        let http = WebHttpConfig { http2: Some(false), headers: Some(headers) };
        let fields = WebConfigFileFields { tls_config: None, http_config: Some(http) };
        let expected = "http_server_config:\n  http2: false\n  headers:\n    Content-Security-Policy: default-src 'self'\n    \
                        Strict-Transport-Security: max-age=1\n    X-Content-Type-Options: nosniff\n    X-Frame-Options: sameorigin\n";
        assert_eq!(file("/dir", &fields).as_deref(), Ok(expected));
    }

    #[test]
    fn an_empty_section_is_written() {
        let fields = WebConfigFileFields { tls_config: None, http_config: Some(WebHttpConfig::default()) };
        assert_eq!(file("/dir", &fields).as_deref(), Ok("http_server_config: {}\n"));
        let http = WebHttpConfig { http2: None, headers: Some(WebHttpHeaders::default()) };
        let fields = WebConfigFileFields { tls_config: None, http_config: Some(http) };
        assert_eq!(file("/dir", &fields).as_deref(), Ok("http_server_config:\n  headers: {}\n"));
    }

    #[test]
    fn invalid_settings_are_neither_written_nor_mounted() {
        let fields = WebConfigFileFields { tls_config: Some(WebTlsConfig::default()), http_config: None };
        assert_eq!(file("/dir", &fields), Err(WebConfigError::NoKey));
        assert_eq!(mount("/dir", "secret", &fields), Err(WebConfigError::NoKey));
    }
}
