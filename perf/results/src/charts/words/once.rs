//! The words of the charts of 0x0b.

use serde::Serialize;

/// The words of one language.
#[derive(Serialize)]
pub(crate) struct OnceWords {
    pub costs_title: &'static str,
    pub costs_subtitle: &'static str,
    pub ways: [&'static str; 3],
    pub venues: [&'static str; 3],
    pub returning_title: &'static str,
    pub returning_subtitle: &'static str,
    pub missed: &'static str,
    pub places: [&'static str; 2],
    pub naive_title: &'static str,
    pub naive_subtitle: &'static str,
    pub naive_axis: &'static str,
    pub naive: [&'static str; 6],
    pub twice: &'static str,
    pub lost: &'static str,
    pub none: [&'static str; 2],
}

pub(super) const ENGLISH: OnceWords = OnceWords {
    costs_title: "Orders a second, with numbers and without",
    costs_subtitle: "In grey 0x0a, which looks at no number; median of the rounds, slowest to fastest; log scale",
    ways: ["HTTP", "WebSocket", "in bytes"],
    venues: ["0x0a", "0x0b without numbers", "0x0b with numbers"],
    returning_title: "How long a reader needs that was away",
    returning_subtitle: "Until it has the last notice that it missed; medians of the rounds; log scale, shorter is better",
    missed: "missed notices",
    places: ["from the ring", "from snapshot and log"],
    naive_title: "What each way does twice or loses, of a million",
    naive_subtitle: "Requests, and for the broker notices; log scale, shorter is better",
    naive_axis: "of a million, log scale",
    naive: [
        "sent again, no number",
        "looked first, then sent again",
        "sent again, with its number",
        "ids that expire after a day",
        "keys in SQLite",
        "a broker that marks first",
    ],
    twice: "twice",
    lost: "lost",
    none: ["none of ", ""],
};

pub(super) const CHINESE: OnceWords = OnceWords {
    costs_title: "每秒订单数，带编号和不带编号",
    costs_subtitle: "灰色是不看编号的 0x0a；各轮中位数，最慢一轮到最快一轮；对数刻度",
    ways: ["HTTP", "WebSocket", "字节"],
    venues: ["0x0a", "0x0b 不带编号", "0x0b 带编号"],
    returning_title: "离开过的读者要多久才能补上",
    returning_subtitle: "到拿到错过的最后一条通知为止；各轮中位数；对数刻度，越短越好",
    missed: "条错过的通知",
    places: ["从环里", "从快照和日志"],
    naive_title: "每种办法在一百万次里做了两次的和丢掉的",
    naive_subtitle: "请求；消息代理那一行是通知；对数刻度，越短越好",
    naive_axis: "每一百万次，对数刻度",
    naive: [
        "再发一次，不带编号",
        "先看看，再发一次",
        "再发一次，带编号",
        "一天过期的编号集合",
        "SQLite 里的键表",
        "先标记的消息代理",
    ],
    twice: "两次",
    lost: "丢失",
    none: ["没有（共 ", "）"],
};
