//! An address on the web, for `--site-url` and `--repository`: of a folder, and safe inside any page.

use std::fmt;
use std::str::FromStr;

/// `https://HOST/FOLDER`, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The scheme, the host and the port.
    origin: String,
    /// The folder: empty for the host's root, else with a slash in front.
    folder: String,
}

/// Why an address can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// A scheme that browsers do not open.
    #[error("it has to begin with https:// or http://, such as https://example.org/book")]
    Scheme,
    /// No host, or an invalid port.
    #[error("`{0}` is not a host; write a name such as example.org, followed by `:8080` if a port is needed")]
    Host(String),
    /// A question mark or a hash.
    #[error("it names a folder, so it ends before `?` and `#`; leave out what follows them")]
    Query,
    /// A folder that can't exist, or that a page could not contain.
    #[error("`{0}` is not a folder of an address; use letters, digits, `-`, `.`, `_`, `~` and %XX")]
    Folder(String),
}

impl FromStr for Address {
    type Err = Unusable;

    fn from_str(text: &str) -> Result<Self, Unusable> {
        let scheme = ["https://", "http://"].into_iter().find(|scheme| text.starts_with(scheme));
        let (scheme, rest) =
            scheme.and_then(|scheme| Some((scheme, text.strip_prefix(scheme)?))).ok_or(Unusable::Scheme)?;
        if rest.contains(['?', '#']) {
            return Err(Unusable::Query);
        }
        let (host, folder) = rest.split_once('/').unwrap_or((rest, ""));
        if !is_host(host) {
            return Err(Unusable::Host(host.to_owned()));
        }
        let folder = folder.strip_suffix('/').unwrap_or(folder);
        if let Some(wrong) = folder.split('/').find(|part| !folder.is_empty() && !is_part(part)) {
            return Err(Unusable::Folder(wrong.to_owned()));
        }
        let folder = if folder.is_empty() { String::new() } else { format!("/{folder}") };
        Ok(Self { origin: format!("{scheme}{host}"), folder })
    }
}

/// A name or an IPv4 address, and perhaps a port.
fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    let is_label = |label: &str| {
        let inside = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        !label.is_empty() && inside && !label.starts_with('-') && !label.ends_with('-')
    };
    name.split('.').all(is_label) && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

/// One part of a path, without any character that is special in HTML, XML or JavaScript.
fn is_part(part: &str) -> bool {
    let mut pieces = part.split('%');
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    let first = pieces.next().is_some_and(plain);
    let coded = pieces.all(|piece| {
        let hex = piece.bytes().take(2).filter(u8::is_ascii_hexdigit).count();
        hex == 2 && plain(piece)
    });
    first && coded && !matches!(part, "" | "." | "..")
}

impl Address {
    /// The full address of a file inside the folder.
    pub fn of(&self, file: &str) -> String {
        format!("{self}/{file}")
    }

    /// The folder as a path from the host's root, with a slash at both ends.
    pub fn path(&self) -> String {
        format!("{}/", self.folder)
    }

    /// Whether the folder is the host's root.
    pub fn is_root(&self) -> bool {
        self.folder.is_empty()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_of_a_folder_with_or_without_a_slash() {
        for text in ["https://example.org/books/cents", "https://example.org/books/cents/"] {
            let address: Address = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(address.of("en/naive.html"), "https://example.org/books/cents/en/naive.html");
            assert_eq!((address.path().as_str(), address.is_root()), ("/books/cents/", false));
        }
        for text in ["http://127.0.0.1:8080", "http://127.0.0.1:8080/"] {
            let address: Address = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(address.of(""), "http://127.0.0.1:8080/");
            assert_eq!((address.path().as_str(), address.is_root()), ("/", true));
        }
        assert!("https://example.org/a%20b".parse::<Address>().is_ok());
    }

    #[test]
    fn what_is_no_address_is_refused_for_its_reason() {
        let refused = |text: &str| text.parse::<Address>().expect_err(text);
        for text in ["", "example.org", "ftp://example.org", "//example.org", "HTTPS://example.org"] {
            assert_eq!(refused(text), Unusable::Scheme, "{text}");
        }
        for host in ["", "a b", "-a.org", "a..org", "a.org:", "a.org:0", "a.org:70000", "me@a.org", "a\"b", "書.org"] {
            assert_eq!(refused(&format!("https://{host}/x")), Unusable::Host(host.to_owned()), "{host}");
        }
        for part in ["..", ".", "a b", "a\"b", "<b>", "a%2", "a%zz", "%", "ä", "'", "&"] {
            assert_eq!(refused(&format!("https://a.org/{part}/x")), Unusable::Folder(part.to_owned()), "{part}");
        }
        assert_eq!(refused("https://a.org//x"), Unusable::Folder(String::new()));
        assert_eq!(refused("https://a.org/x?y"), Unusable::Query);
        assert_eq!(refused("https://a.org#y"), Unusable::Query);
    }
}
