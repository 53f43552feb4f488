//! Extractors: the session, parameters and body of a request, and the problem if one is invalid.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequestParts, Path, Query, Request};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use http_body_util::LengthLimitError;
use market::{AccountId, MarketId, OrderId, Sequence};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::sizes::BODY_BYTES_MAX;
use crate::keys::KeyHash;
use crate::limits::held::Held;
use crate::problem::{Problem, Why};
use crate::reply::Session;
use crate::venue::Venue;
use crate::wire::Numbered;

/// How long a read waits for the commands that it must include.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// The client's address.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

impl Peer {
    /// The client address that the last proxy before this program saw, with or without a port.
    pub fn forwarded<B>(request: &axum::http::Request<B>) -> Option<Peer> {
        let said = request.headers().get_all("x-forwarded-for").iter().next_back()?.as_bytes();
        // Only what follows the last comma is the proxy's. The client wrote the rest, which need not even be text.
        let last = said.rsplit(|&byte| byte == b',').next().and_then(|last| std::str::from_utf8(last).ok());
        let last = last.unwrap_or_default().trim();
        // Some proxies write the brackets of an IPv6 address without a port, too.
        let last = last.strip_prefix('[').and_then(|last| last.strip_suffix(']')).unwrap_or(last);
        let address = last.parse().or_else(|_| last.parse().map(|address: SocketAddr| address.ip()));
        // The proxy's own address would be the wrong one to fall back to: on this machine it has no limit.
        Some(Peer(address.unwrap_or(Ipv4Addr::UNSPECIFIED.into())))
    }
}

impl FromRequestParts<Arc<Venue>> for Peer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Venue>) -> Result<Peer, Problem> {
        // Every connection carries its address; without one, as in a test, it is this machine.
        Ok(parts.extensions.get().copied().unwrap_or(Peer(Ipv4Addr::LOCALHOST.into())))
    }
}

/// The connection's slot in the limits. A WebSocket keeps it for as long as it lasts.
pub struct Connection(pub Option<Arc<Held<IpAddr>>>);

impl FromRequestParts<Arc<Venue>> for Connection {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Venue>) -> Result<Connection, Problem> {
        Ok(Connection(parts.extensions.get().cloned()))
    }
}

/// The session of the key in the header, and what is kept of that key.
pub struct Who(pub Session, pub KeyHash);

impl OptionalFromRequestParts<Arc<Venue>> for Who {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<Option<Who>, Problem> {
        match parts.headers.contains_key(AUTHORIZATION) {
            true => <Who as FromRequestParts<_>>::from_request_parts(parts, venue).await.map(Some),
            false => Ok(None),
        }
    }
}

/// The session of an account.
pub struct Trader(pub AccountId);

/// The session of the operator.
pub struct Operator;

impl FromRequestParts<Arc<Venue>> for Who {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<Who, Problem> {
        let header = parts.headers.get(AUTHORIZATION).ok_or_else(|| Problem::new(Why::Unauthenticated))?;
        // The scheme's name is case-insensitive: RFC 9110, 11.1.
        let words = header.to_str().ok().and_then(|words| words.split_once(' '));
        let key = words.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, key)| key.trim());
        let hash = key.map(KeyHash::of);
        let who = hash.and_then(|hash| Some(Who(venue.names.session(hash)?, hash)));
        who.ok_or_else(|| Problem::because(Why::Unauthenticated, "No account has this key."))
    }
}

impl FromRequestParts<Arc<Venue>> for Trader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<Trader, Problem> {
        match <Who as FromRequestParts<_>>::from_request_parts(parts, venue).await? {
            Who(Session::Account(account), _) => Ok(Trader(account)),
            Who(Session::Operator, _) => Err(Problem::because(Why::Forbidden, "The operator does not trade.")),
        }
    }
}

impl FromRequestParts<Arc<Venue>> for Operator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<Operator, Problem> {
        match <Who as FromRequestParts<_>>::from_request_parts(parts, venue).await? {
            Who(Session::Operator, _) => Ok(Operator),
            Who(Session::Account(_), _) => Err(Problem::because(Why::Forbidden, "Only the operator may do that.")),
        }
    }
}

/// A body of JSON.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<Venue>> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &Arc<Venue>) -> Result<Json<T>, Problem> {
        read(&body(request).await?).map(Json)
    }
}

/// A JSON body that holds one item, or a list of them.
pub enum OneOrMany<T> {
    /// One item.
    One(T),
    /// A list.
    Many(Vec<T>),
}

impl<T: DeserializeOwned> FromRequest<Arc<Venue>> for OneOrMany<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &Arc<Venue>) -> Result<OneOrMany<T>, Problem> {
        let body = body(request).await?;
        let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
        if first == Some(&b'[') { read(&body).map(OneOrMany::Many) } else { read(&body).map(OneOrMany::One) }
    }
}

async fn body(request: Request) -> Result<Bytes, Problem> {
    let body = tokio::time::timeout(BODY_TIME, to_bytes(request.into_body(), BODY_BYTES_MAX)).await;
    let body = body.map_err(|_| Problem::because(Why::TooSlow, "The body did not arrive in time."))?;
    body.map_err(|error| match error.into_inner() {
        // Over HTTP/2 a body need not announce how long it is.
        error if error.is::<LengthLimitError>() => {
            Problem::because(Why::TooLarge, format!("A body has at most {BODY_BYTES_MAX} bytes."))
        }
        error => Problem::because(Why::BadRequest, format!("{error}.")),
    })
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|error| Problem::because(Why::BadRequest, format!("{error}.")))
}

/// The numbers in a path.
pub struct Numbers<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<Venue>> for Numbers<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<Numbers<T>, Problem> {
        let path = <Path<T> as FromRequestParts<_>>::from_request_parts(parts, venue).await;
        path.map(|Path(numbers)| Numbers(numbers))
            .map_err(|_| Problem::because(Why::NotFound, "Markets, orders and accounts are identified by number."))
    }
}

/// The query, after the `?`.
pub struct InQuery<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Venue>> for InQuery<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<InQuery<T>, Problem> {
        let query = Query::from_request_parts(parts, venue).await;
        let query = query.map_err(|error| Problem::because(Why::BadRequest, format!("{}.", error.body_text())));
        query.map(|Query(query)| InQuery(query))
    }
}

/// The request's number in the header `Idempotency-Key`, if it is there.
pub struct NumberHeader(pub Option<Numbered>);

impl FromRequestParts<Arc<Venue>> for NumberHeader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Venue>) -> Result<NumberHeader, Problem> {
        let header = parts.headers.get("idempotency-key");
        header.map(|value| Numbered::of_header(value.as_bytes())).transpose().map(NumberHeader)
    }
}

/// The query parameters of a read.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    market: Option<u32>,
    limit: Option<usize>,
    after: Option<String>,
    at_least: Option<String>,
}

/// The same, once the read may proceed.
pub struct Asked {
    /// Only this market.
    pub market: Option<u32>,
    /// At most this many.
    pub limit: Option<usize>,
    /// Only what is behind this order.
    pub after: Option<(MarketId, OrderId)>,
}

impl Asked {
    /// The same, where a market means nothing.
    ///
    /// # Errors
    /// If it names one.
    pub fn without_market(self) -> Result<Asked, Problem> {
        let wrong = || Problem::because(Why::BadRequest, "The query can't name a market here.");
        if self.market.is_none() { Ok(self) } else { Err(wrong()) }
    }

    /// The same, where a limit means nothing.
    ///
    /// # Errors
    /// If it has one.
    pub fn without_limit(self) -> Result<Asked, Problem> {
        let wrong = || Problem::because(Why::BadRequest, "The query can't have a limit here.");
        if self.limit.is_none() { Ok(self) } else { Err(wrong()) }
    }

    /// The same, where a cursor means nothing.
    ///
    /// # Errors
    /// If it has one.
    pub fn without_after(self) -> Result<Asked, Problem> {
        let wrong = || Problem::because(Why::BadRequest, "The query can't have after here.");
        if self.after.is_none() { Ok(self) } else { Err(wrong()) }
    }
}

impl FromRequestParts<Arc<Venue>> for Asked {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<Asked, Problem> {
        let bad = |what: String| Problem::because(Why::BadRequest, what);
        let Query(Said { market, limit, after, at_least }) =
            Query::from_request_parts(parts, venue).await.map_err(|error| bad(format!("{}.", error.body_text())))?;
        let least = at_least.map(|vector| vector.split(',').map(|one| one.trim().parse().map(Sequence)).collect());
        let least: Option<Result<Vec<_>, _>> = least;
        if let Some(least) = least {
            let shards = venue.projection().progress().len();
            let least = least.ok().filter(|least| least.len() <= shards);
            let least =
                least.ok_or_else(|| bad("at_least is a sequence, or one for each shard, as in 12,0.".into()))?;
            if !tokio::time::timeout(PATIENCE, venue.wait_for(&least)).await.unwrap_or(false) {
                return Err(Problem::new(Why::Behind));
            }
        }
        let cursor = |text: String| {
            let (market, order) = text.split_once('.')?;
            Some((MarketId(market.parse().ok()?), OrderId(order.parse().ok()?)))
        };
        let wrong = || bad("The field after takes the cursor in next of an earlier page, unchanged.".into());
        let after = after.map(|text| cursor(text).ok_or_else(wrong)).transpose()?;
        Ok(Asked { market, limit, after })
    }
}
