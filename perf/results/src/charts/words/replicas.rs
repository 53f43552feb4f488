//! The words of the chart of 0x0e.

use serde::Serialize;

/// The words of one language.
#[derive(Serialize)]
pub(crate) struct ReplicasWords {
    pub title: &'static str,
    pub subtitle: &'static str,
    pub sync: &'static str,
    pub append: &'static str,
    pub size_axis: &'static str,
}

pub(super) const ENGLISH: ReplicasWords = ReplicasWords {
    title: "How long a frame takes, by its size",
    subtitle: "To sync it here, and to append it to the stream, until a majority of the servers has synced it; log scales",
    sync: "a sync",
    append: "an append",
    size_axis: "KiB in a frame",
};

pub(super) const CHINESE: ReplicasWords = ReplicasWords {
    title: "一帧要等多久，按帧的大小",
    subtitle: "在这里落一次盘；追加到流里，等多数服务器落盘；双对数刻度",
    sync: "落盘",
    append: "追加",
    size_axis: "一帧的 KiB 数",
};
