//! The words of the charts of 0x0c.

use serde::Serialize;

/// The words of one language.
#[derive(Serialize)]
pub(crate) struct PathWords {
    pub protocols: [&'static str; 2],
    pub stages_title: &'static str,
    pub stages_subtitle: &'static str,
    pub orders: [&'static str; 2],
    /// Each stage's name, and what happens in it.
    pub stages: [[&'static str; 2]; 10],
    pub sums_title: &'static str,
    pub sums_subtitle: &'static str,
    pub sums: [&'static str; 2],
    pub figures: [&'static str; 2],
}

pub(super) const ENGLISH: PathWords = PathWords {
    protocols: ["HTTP", "WebSocket"],
    stages_title: "Where an order's time goes, and a slow order's",
    stages_subtitle: "means; log scale",
    orders: ["all orders", "the slowest hundredth"],
    stages: [
        ["parse", "head, body and key"],
        ["door", "limits, and the window"],
        ["queue", "for the engine's thread"],
        ["journal", "for the sync before"],
        ["sync", "its frame goes to disk"],
        ["wake", "for the matching thread"],
        ["match", "matched, handed back"],
        ["reply", "projection, notices"],
        ["encode", "the answer's bytes"],
        ["write", "to the socket"],
    ],
    sums_title: "Means add up, percentiles do not",
    sums_subtitle: "The ten stages added up, and the whole way as it was measured; log scale",
    sums: ["the stages added up", "the whole way"],
    figures: ["mean", "p99"],
};

pub(super) const CHINESE: PathWords = PathWords {
    protocols: ["HTTP", "WebSocket"],
    stages_title: "订单的时间花在哪里，慢的订单又花在哪里",
    stages_subtitle: "平均值；对数刻度",
    orders: ["全部订单", "最慢的百分之一"],
    stages: [
        ["parse", "请求头、正文和密钥"],
        ["door", "限流和编号窗口"],
        ["queue", "等引擎线程"],
        ["journal", "等前一次同步"],
        ["sync", "它所在的帧落盘"],
        ["wake", "等撮合线程"],
        ["match", "撮合，交回"],
        ["reply", "投影和通知"],
        ["encode", "编码答复"],
        ["write", "写入套接字"],
    ],
    sums_title: "平均值可以相加，百分位数不行",
    sums_subtitle: "十个阶段加起来，和实测的整体；对数刻度",
    sums: ["各阶段加起来", "整体"],
    figures: ["平均", "p99"],
};
