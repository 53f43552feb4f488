//! The HTTP routes, and the handler of each. `GET /v1/openapi.json` describes the same for programs.
//!
//! | | | who |
//! |---|---|---|
//! | `GET /` | the page | anyone |
//! | `GET /v1/markets`, `/v1/markets/{market}/book`, `/v1/markets/{market}/trades` | public market data | anyone |
//! | `POST /v1/accounts` | a play account and its key | anyone |
//! | `GET /v1/account`, `/v1/orders`, `/v1/fills` | the account's holdings, open orders, trades | an account |
//! | `POST /v1/orders` | places an order, or a list of them | an account |
//! | `DELETE /v1/markets/{market}/orders/{order}`, `/v1/markets/{market}/orders` | cancels one order, or all of the account's, in pieces if there are very many | an account |
//! | `POST /v1/markets`, `/v1/markets/{market}/resolve` | opens, ends a market | the operator |
//! | `POST /v1/markets/{market}/deposits`, `/v1/markets/{market}/withdrawals` | deposits cash, withdraws it | the operator |
//! | `POST /v1/accounts/{account}/key` | a new key for an account | the operator |
//! | `POST /v1/classroom/join` | in a class, an account by its code | anyone |
//! | `GET /v1/classroom`, `POST /v1/classroom/reset` | in a class, all codes; a fresh start | the operator |
//! | `GET /v1/stream` | all of this over one WebSocket: see [`stream`] | anyone, or an account |
//! | `GET /healthz`, `/readyz` | whether it is alive, whether it accepts orders | anyone |

pub mod accounts;
mod classroom;
pub mod extract;
mod head;
pub mod markets;
pub mod openapi;
pub mod operator;
pub mod orders;
pub mod page;
pub mod sizes;
mod to_its_end;
pub mod to_json;

use std::convert::Infallible;
use std::sync::Arc;

use axum::http::{HeaderName, HeaderValue, Request, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, delete, get, post};
use axum::{Extension, Router};

use crate::front::Fronts;
use crate::problem::{Problem, Why};
use crate::stream;
use crate::venue::Venue;

/// A path, and what answers there.
type Route = (&'static str, MethodRouter<Arc<Venue>>);

/// All routes, with those of these layers.
// ANCHOR: routes
pub fn routes(venue: Arc<Venue>, fronts: &Fronts, echo: bool) -> Router {
    let measured = if echo { Router::new().route("/v1/echo", get(stream::echo)) } else { Router::new() };
    let add = |routes: Router<_>, (path, methods): Route| routes.route(path, methods);
    let of_layers = fronts.iter().flat_map(|front| Arc::clone(front).routes());
    in_place(table(fronts).into_iter().chain(of_layers))
        .into_iter()
        .fold(Router::new(), add)
        .merge(page::routes(fronts))
        .merge(measured)
        .fallback(|| async { Problem::new(Why::NotFound) })
        .method_not_allowed_fallback(|| async { Problem::new(Why::MethodNotAllowed) })
        .with_state(venue)
}

/// The routes of all layers. One that a layer answers too is answered by the last that does, in place of those below.
fn in_place(all: impl Iterator<Item = Route>) -> Vec<Route> {
    let mut routes: Vec<Route> = Vec::new();
    for (path, methods) in all {
        match routes.iter_mut().find(|(known, _)| *known == path) {
            Some((_, known)) => *known = methods,
            None => routes.push((path, methods)),
        }
    }
    routes
}

/// All routes except the page: each path and its handler. `openapi.json` describes the same.
fn table(fronts: &Fronts) -> Vec<Route> {
    let knows_fronts = |methods: MethodRouter<_>| methods.layer(Extension(Arc::clone(fronts)));
    vec![
        ("/v1/markets", get(markets::list).post(operator::open)),
        ("/v1/markets/{market}/book", get(markets::book)),
        ("/v1/markets/{market}/trades", get(markets::trades)),
        ("/v1/markets/{market}/orders", delete(orders::cancel_all)),
        ("/v1/markets/{market}/orders/{order}", delete(orders::cancel)),
        ("/v1/markets/{market}/resolve", post(operator::resolve)),
        ("/v1/markets/{market}/deposits", post(operator::deposit)),
        ("/v1/markets/{market}/withdrawals", post(operator::withdraw)),
        ("/v1/accounts", post(accounts::make)),
        ("/v1/accounts/{account}/key", post(operator::new_key)),
        ("/v1/classroom", get(classroom::members)),
        ("/v1/classroom/join", post(classroom::join)),
        ("/v1/classroom/reset", post(classroom::reset)),
        ("/v1/account", get(accounts::holdings)),
        ("/v1/orders", get(accounts::orders).post(orders::place)),
        ("/v1/fills", get(accounts::fills)),
        ("/v1/stream", knows_fronts(get(stream::open))),
        ("/v1/openapi.json", knows_fronts(get(openapi::description))),
        ("/healthz", get(markets::health)),
        ("/readyz", get(markets::readiness)),
    ]
}
// ANCHOR_END: routes

/// The paths of all routes.
pub fn paths() -> Vec<&'static str> {
    table(&Fronts::from([])).into_iter().map(|(path, _)| path).collect()
}

// ANCHOR: answer
/// Answers a request: by its route, unless its head is refused.
///
/// The library would put layers around each route for this, and would copy the handler with its layers for each
/// request. Around all routes it is a function.
///
/// # Errors
/// Those of `route`.
pub async fn answer<B, R: Future<Output = Result<Response, Infallible>>>(
    request: Request<B>,
    route: impl FnOnce(Request<B>) -> R,
) -> Result<Response, Infallible> {
    let mut response = match head::check(&request) {
        Ok(()) => route(request).await?,
        Err(problem) => problem.into_response(),
    };
    for (name, value) in &HEADERS {
        response.headers_mut().insert(name, value.clone());
    }
    Ok(response)
}
// ANCHOR_END: answer

/// Headers on every answer for browsers: load nothing from elsewhere, guess no types, store nothing. Static, so that their
/// characters are checked when the program is compiled, and not for each answer.
static HEADERS: [(HeaderName, HeaderValue); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
];
