//! Our own clients, for bots and for measuring: HTTP over one kept-alive connection, and the WebSocket.

use std::net::SocketAddr;

use futures_util::SinkExt;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::{http1, http2};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, SEC_WEBSOCKET_PROTOCOL};
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async};

/// The name of the binary subprotocol in the handshake.
pub const PROTOCOL: &str = "cents.binary.1";

/// Why a client could not go on.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection could not be made, or broke.
    #[error("the connection: {0}")]
    Connection(#[from] std::io::Error),
    /// The peer does not speak HTTP.
    #[error("HTTP: {0}")]
    Http(#[from] hyper::Error),
    /// The peer does not speak WebSocket.
    #[error("WebSocket: {0}")]
    WebSocket(#[from] Box<tungstenite::Error>),
    /// The answer is not the expected one.
    #[error("unexpected answer: {0}")]
    Answer(String),
}

impl From<tungstenite::Error> for ClientError {
    fn from(error: tungstenite::Error) -> ClientError {
        ClientError::WebSocket(Box::new(error))
    }
}

async fn connect(address: SocketAddr) -> Result<TcpStream, ClientError> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A connection that sends one request after the other.
pub struct Http {
    sender: Sender,
    host: String,
}

enum Sender {
    One(http1::SendRequest<Full<Bytes>>),
    Two(http2::SendRequest<Full<Bytes>>),
}

impl Http {
    /// Connects.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn connect(address: SocketAddr) -> Result<Http, ClientError> {
        let (sender, connection) = http1::handshake(TokioIo::new(connect(address).await?)).await?;
        // The task ends with the sender; the next request reports how.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Http { sender: Sender::One(sender), host: address.to_string() })
    }

    /// Connects over HTTP/2.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn connect_two(address: SocketAddr) -> Result<Http, ClientError> {
        let stream = TokioIo::new(connect(address).await?);
        let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await?;
        tokio::spawn(async move { drop(connection.await) });
        Ok(Http { sender: Sender::Two(sender), host: address.to_string() })
    }

    /// Another sender over the same connection, for concurrent requests; none over HTTP/1.1.
    pub fn another(&self) -> Option<Http> {
        let Sender::Two(sender) = &self.sender else { return None };
        Some(Http { sender: Sender::Two(sender.clone()), host: self.host.clone() })
    }

    /// Sends a request; returns status and body unparsed.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn ask(
        &mut self,
        method: Method,
        path: &str,
        key: &str,
        body: Bytes,
    ) -> Result<(u16, Bytes), ClientError> {
        let response = self.whole(method, path, key, body).await?;
        Ok((response.status().as_u16(), response.into_body()))
    }

    /// Sends a request; returns the whole response, headers included.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn whole(
        &mut self,
        method: Method,
        path: &str,
        key: &str,
        body: Bytes,
    ) -> Result<Response<Bytes>, ClientError> {
        let mut request = Request::builder().method(method).header(CONTENT_TYPE, "application/json");
        // Over HTTP/2 the host is part of the URI.
        request = match &self.sender {
            Sender::One(_) => request.uri(path).header(HOST, &self.host),
            Sender::Two(_) => request.uri(format!("http://{}{path}", self.host)),
        };
        if !key.is_empty() {
            request = request.header(AUTHORIZATION, format!("Bearer {key}"));
        }
        let request = request.body(Full::new(body)).map_err(|error| ClientError::Answer(error.to_string()))?;
        let response = match &mut self.sender {
            Sender::One(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
            Sender::Two(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
        };
        let (head, body) = response.into_parts();
        Ok(Response::from_parts(head, body.collect().await?.to_bytes()))
    }

    /// Sends JSON, and expects success.
    ///
    /// # Errors
    /// [`ClientError`]; a problem counts as an unexpected answer.
    pub async fn json(&mut self, method: Method, path: &str, key: &str, body: &Value) -> Result<Value, ClientError> {
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let (status, body) = self.ask(method, path, key, body).await?;
        let value: Option<Value> = serde_json::from_slice(&body).ok();
        match value {
            Some(value) if status < 300 => Ok(value),
            _ => Err(ClientError::Answer(format!("{path}: {status} {}", String::from_utf8_lossy(&body)))),
        }
    }
}

/// A WebSocket.
pub struct Stream(WebSocketStream<TcpStream>);

impl Stream {
    /// Connects.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn connect(address: SocketAddr, path: &str) -> Result<Stream, ClientError> {
        let stream = connect(address).await?;
        let (stream, _) = client_async(format!("ws://{address}{path}"), stream).await?;
        Ok(Stream(stream))
    }

    /// Connects with the subprotocol that places orders in bytes.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn connect_in_bytes(address: SocketAddr, path: &str) -> Result<Stream, ClientError> {
        let stream = connect(address).await?;
        let mut request = format!("ws://{address}{path}").into_client_request()?;
        request.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
        let (stream, _) = client_async(request, stream).await?;
        Ok(Stream(stream))
    }

    /// Sends a text message at once.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn say(&mut self, text: impl Into<Utf8Bytes>) -> Result<(), ClientError> {
        Ok(self.0.send(Message::Text(text.into())).await?)
    }

    /// The next text message; none if the server has closed the connection.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn hear(&mut self) -> Result<Option<Utf8Bytes>, ClientError> {
        loop {
            match futures_util::StreamExt::next(&mut self.0).await.transpose()? {
                Some(Message::Text(text)) => return Ok(Some(text)),
                Some(Message::Close(_)) | None => return Ok(None),
                Some(_) => {}
            }
        }
    }

    /// Both directions, for two tasks.
    pub fn split(self) -> (Saying, Hearing) {
        futures_util::StreamExt::split(self.0)
    }
}

/// The direction to the server.
pub type Saying = futures_util::stream::SplitSink<WebSocketStream<TcpStream>, Message>;

/// The direction from the server.
pub type Hearing = futures_util::stream::SplitStream<WebSocketStream<TcpStream>>;
