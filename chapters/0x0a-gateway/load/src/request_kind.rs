//! The kinds of requests that are measured.

/// A kind of request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestKind {
    /// A handler that does nothing, over HTTP.
    Empty,
    /// An order over HTTP.
    Order,
    /// An order over HTTP, each on a new connection.
    Fresh,
    /// Like `Empty` over HTTP/2, with as many requests in flight on fewer connections.
    Empty2,
    /// Like `Order`, likewise.
    Order2,
    /// An echo, over WebSocket.
    Echo,
    /// One order per message, over WebSocket.
    One,
    /// This many orders per message, over WebSocket.
    Batch(usize),
    /// The same in binary.
    Binary(usize),
}

impl RequestKind {
    /// Whether each answer arrives before the next request is sent.
    pub fn is_http(self) -> bool {
        matches!(
            self,
            RequestKind::Empty | RequestKind::Order | RequestKind::Fresh | RequestKind::Empty2 | RequestKind::Order2
        )
    }

    /// For the progress bar.
    pub fn words(self) -> &'static str {
        match self {
            RequestKind::Empty => "HTTP, an empty handler",
            RequestKind::Order => "HTTP, durable orders",
            RequestKind::Fresh => "HTTP, a connection for each order",
            RequestKind::Empty2 => "HTTP/2, an empty handler",
            RequestKind::Order2 => "HTTP/2, durable orders",
            RequestKind::Echo => "WebSocket, a bare echo",
            RequestKind::One => "WebSocket, an order a message",
            RequestKind::Batch(_) => "WebSocket, orders in batches",
            RequestKind::Binary(_) => "WebSocket, orders in batches, in bytes",
        }
    }
}
