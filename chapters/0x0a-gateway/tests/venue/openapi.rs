//! The description for programs matches the routes: none is missing on either side, each answers as described, and the
//! reasons are the closed list.

use std::collections::BTreeMap;

use crate::support::client::Client;
use crate::support::server::Server;
use gateway::http::openapi::DESCRIPTION;
use gateway::http::paths;
use gateway::problem::Why;
use serde_json::{Value, json};

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

fn description() -> Value {
    serde_json::from_str(DESCRIPTION).expect("the description is JSON")
}

/// Follows `$ref`.
fn resolve<'d>(description: &'d Value, value: &'d Value) -> &'d Value {
    match value["$ref"].as_str() {
        Some(reference) => {
            description.pointer(reference.trim_start_matches('#')).unwrap_or_else(|| panic!("{reference}"))
        }
        None => value,
    }
}

/// Returns where a value does not match the schema: types, required fields, words of a closed list.
fn misfit(description: &Value, schema: &Value, value: &Value) -> Option<String> {
    let schema = resolve(description, schema);
    if let Some(choices) = schema["oneOf"].as_array() {
        let misfits: Option<Vec<_>> = choices.iter().map(|choice| misfit(description, choice, value)).collect();
        return misfits.map(|misfits| misfits.join(", or "));
    }
    let is = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        kind => panic!("unknown type: {kind}"),
    };
    let kinds: Vec<_> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is(kind)) {
        return Some(format!("{value} is not {kinds:?}"));
    }
    if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
        return Some(format!("{value} is not one of {}", schema["enum"]));
    }
    let missing = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|name| value.get(name).is_none());
    if let Some(name) = missing {
        return Some(format!("{value} has no {name}"));
    }
    let inside = schema["properties"].as_object().into_iter().flatten();
    let inside = inside.filter_map(|(name, schema)| misfit(description, schema, value.get(name)?)).next();
    let rows = value.as_array().filter(|_| schema.get("items").is_some()).into_iter().flatten();
    inside.or_else(|| rows.filter_map(|row| misfit(description, &schema["items"], row)).next())
}

#[test]
fn the_reasons_are_the_closed_list() {
    let words: Vec<_> = Why::all().map(|why| why.words().0).collect();
    assert_eq!(description()["components"]["schemas"]["Reason"]["enum"], json!(words));
}

#[test]
fn routes_and_description_match() {
    let description = description();
    let described = description["paths"].as_object().unwrap();
    let mut routes = paths();
    routes.sort_unstable();
    assert_eq!(described.keys().collect::<Vec<_>>(), routes);
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    for (path, operations) in described {
        let path = path.replace("{market}", "1").replace("{order}", "1").replace("{account}", "1");
        for method in METHODS {
            // With an unknown key: a route that exists refuses it, or answers.
            let status = server.client().ask(&method.to_uppercase(), &path, "").unwrap().status;
            assert_eq!(status != 405, operations.get(method).is_some(), "{method} {path}: {status}");
        }
    }
}

/// Sends a request, and checks the answer against the description. A failure shows the answer.
fn ask(
    description: &Value,
    client: &mut Client,
    method: &str,
    path: &str,
    real: &str,
    body: &Value,
    status: u16,
) -> Value {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let answer = client.ask(&method.to_uppercase(), real, &body).unwrap();
    let what = format!("{method} {real} {body}: {answer:?}");
    assert_eq!(answer.status, status, "{what}");
    let responses = &description["paths"][path][method]["responses"];
    let response = resolve(description, &responses[&status.to_string()]);
    let content = response["content"].as_object().unwrap_or_else(|| panic!("{status} is not described: {what}"));
    let (kind, media) = content.iter().next().unwrap();
    assert!(answer.header("content-type").is_some_and(|found| found.starts_with(kind)), "{what}");
    if kind == "text/plain" {
        return Value::Null;
    }
    let value = answer.json();
    assert_eq!(misfit(description, &media["schema"], &value), None, "{what}");
    value
}

/// Public routes.
const PUBLIC: [&str; 6] = [
    "/v1/markets",
    "/v1/markets/{market}/book",
    "/v1/markets/{market}/trades",
    "/v1/openapi.json",
    "/healthz",
    "/readyz",
];

#[test]
fn each_route_answers_as_described() {
    let description = description();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--classroom"]);
    let mut seen = BTreeMap::<String, usize>::new();
    let (mut anyone, mut operator) = (server.client(), server.client().with_key(server.operator.as_ref().unwrap()));
    let mut on = |client: &mut Client, method: &str, path: &str, real: &str, body: Value, status: u16| {
        *seen.entry(format!("{method} {path}")).or_default() += 1;
        ask(&description, client, method, path, real, &body, status)
    };
    let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
    on(&mut operator, "post", "/v1/markets", "/v1/markets", question.clone(), 201);
    let made = on(&mut anyone, "post", "/v1/accounts", "/v1/accounts", json!({ "name": "Ann" }), 201);
    let other = on(&mut anyone, "post", "/v1/accounts", "/v1/accounts", json!({}), 201);
    let mut ann = server.client().with_key(made["key"].as_str().unwrap());
    let mut bob = server.client().with_key(other["key"].as_str().unwrap());
    let order = |intent: &str, price: u32| json!({ "market": 1, "intent": intent, "price": price, "quantity": 5 });
    let placed = on(&mut ann, "post", "/v1/orders", "/v1/orders", order("buy-yes", 40), 200);
    on(&mut bob, "post", "/v1/orders", "/v1/orders", json!([order("buy-no", 60), order("buy-no", 0)]), 200);
    on(&mut ann, "post", "/v1/orders", "/v1/orders", order("buy-yes", 30), 200);
    let at_least = placed["sequence"].to_string();
    for (path, query) in [("/v1/account", "market=1"), ("/v1/orders", "limit=1"), ("/v1/fills", "limit=1")] {
        let real = &format!("{path}?{query}");
        on(&mut ann, "get", path, real, Value::Null, 200);
        on(&mut anyone, "get", path, real, Value::Null, 401);
        on(&mut operator, "get", path, real, Value::Null, 403);
        on(&mut ann, "get", path, &format!("{path}?at_least={at_least}"), Value::Null, 200);
        on(&mut ann, "get", path, &format!("{path}?at_least=x"), Value::Null, 400);
    }
    for path in PUBLIC {
        on(&mut anyone, "get", path, &path.replace("{market}", "1"), Value::Null, 200);
    }
    on(&mut anyone, "get", "/v1/markets/{market}/book", "/v1/markets/77/book", Value::Null, 404);
    on(&mut ann, "post", "/v1/orders", "/v1/orders", order("sell-no", 50), 422);
    on(&mut ann, "post", "/v1/orders", "/v1/orders", json!({ "market": 1 }), 400);
    let (one, all) = ("/v1/markets/{market}/orders/{order}", "/v1/markets/{market}/orders");
    on(&mut ann, "delete", one, "/v1/markets/1/orders/99", Value::Null, 404);
    on(&mut bob, "delete", one, "/v1/markets/1/orders/4", Value::Null, 403);
    on(&mut ann, "delete", one, "/v1/markets/1/orders/4", Value::Null, 200);
    on(&mut ann, "delete", all, "/v1/markets/1/orders?lane=1&number=7", Value::Null, 400);
    on(&mut ann, "delete", all, "/v1/markets/1/orders", Value::Null, 200);
    let transfer = json!({ "account": made["account"], "amount": 5 });
    for kind in ["deposits", "withdrawals"] {
        let (path, real) = (format!("/v1/markets/{{market}}/{kind}"), format!("/v1/markets/1/{kind}"));
        on(&mut operator, "post", &path, &real, transfer.clone(), 200);
        on(&mut ann, "post", &path, &real, transfer.clone(), 403);
        on(&mut operator, "post", &path, &real, json!({ "account": made["account"], "amount": 0 }), 422);
    }
    let resolve = "/v1/markets/{market}/resolve";
    on(&mut operator, "post", resolve, "/v1/markets/1/resolve", json!({ "outcome": "yes" }), 200);
    on(&mut operator, "post", resolve, "/v1/markets/1/resolve", json!({ "outcome": "yes" }), 409);
    on(&mut anyone, "get", "/v1/markets", "/v1/markets", Value::Null, 200);
    let [members, join, reset] = ["", "/join", "/reset"].map(|path| format!("/v1/classroom{path}"));
    on(&mut operator, "get", &members, &members, Value::Null, 200);
    on(&mut operator, "post", &reset, &reset, json!({ "outcome": "yes" }), 200);
    on(&mut anyone, "post", &join, &join, json!({ "code": "AAA-AAA" }), 401);
    let joined = on(&mut anyone, "post", &join, &join, json!({ "code": other["code"] }), 200);
    assert_eq!(joined["account"], other["account"]);
    let key = "/v1/accounts/{account}/key";
    on(&mut operator, "post", key, &format!("/v1/accounts/{}/key", made["account"]), Value::Null, 200);
    on(&mut ann, "get", "/v1/account", "/v1/account", Value::Null, 401);
    let described = description["paths"].as_object().unwrap().iter();
    for (path, operations) in described.filter(|(path, _)| *path != "/v1/stream") {
        for method in operations.as_object().unwrap().keys() {
            assert!(seen.contains_key(&format!("{method} {path}")), "{method} {path} was not tested");
        }
    }
}

#[test]
fn what_means_nothing_for_a_request_is_refused_as_described() {
    let description = description();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let made = server.client().post("/v1/accounts", &json!({})).unwrap().json();
    let mut ann = server.client().with_key(made["key"].as_str().unwrap());
    let [list, book, trades] = ["/v1/markets", "/v1/markets/{market}/book", "/v1/markets/{market}/trades"];
    for (path, query) in [
        (list, "?at_least=0,0"),
        (list, "?market=1"),
        (list, "?limit=1"),
        (list, "?after=1.1"),
        (book, "?market=1"),
        (book, "?limit=1"),
        (book, "?after=1.1"),
        (trades, "?market=1"),
        (trades, "?after=1.1"),
        ("/v1/account", "?limit=1"),
        ("/v1/account", "?after=1.1"),
        ("/v1/fills", "?after=1.1"),
        // A connection that asks for no WebSocket.
        ("/v1/stream", ""),
    ] {
        let real = path.replace("{market}", "1") + query;
        ask(&description, &mut ann, "get", path, &real, &Value::Null, 400);
    }
}
