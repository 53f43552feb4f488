//! The words of the feed's charts.

use serde::Serialize;

/// The words of one language.
#[derive(Serialize)]
pub(crate) struct FeedWords {
    pub event_title: &'static str,
    pub event_subtitle: &'static str,
    pub last_title: &'static str,
    pub last_subtitle: &'static str,
    pub readers_axis: &'static str,
    pub by_mask: &'static str,
    pub by_channels: &'static str,
    pub without_reader: &'static str,
}

pub(super) const ENGLISH: FeedWords = FeedWords {
    event_title: "What an event costs the matching thread, by readers",
    event_subtitle: "Processor time of the thread that acknowledges; median of the rounds, slowest to fastest; log scales",
    last_title: "From acknowledgement to the last reader, by readers",
    last_subtitle: "Until every reader that reads has what the command changed; log scales",
    readers_axis: "readers",
    by_mask: "the feed",
    by_channels: "a channel for each reader",
    without_reader: "no reader",
};

pub(super) const CHINESE: FeedWords = FeedWords {
    event_title: "一个事件花掉撮合线程多少时间",
    event_subtitle: "确认线程的处理器时间；各轮中位数，最慢一轮到最快一轮；双对数刻度",
    last_title: "从确认到最后一个读者",
    last_subtitle: "到每个在读的读者都有了这条命令的改动为止；双对数刻度",
    readers_axis: "读者数",
    by_mask: "行情线程",
    by_channels: "每个读者一个通道",
    without_reader: "谁都没有",
};
