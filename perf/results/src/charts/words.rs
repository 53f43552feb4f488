//! Every word that a chart can say, in both languages, in one place, but for the chapters' titles, which their manifests
//! have, and the stages', which tables use too: the font's subset is made from all, and a test asks the font for each
//! character.

use catalogue::Catalogue;

use crate::language::Language;

/// The words of one language.
pub(crate) struct Words {
    pub throughput_title: &'static str,
    pub throughput_subtitle: &'static str,
    pub orders_per_s_axis: &'static str,
    pub stages_title: &'static str,
    pub stages_subtitle: &'static str,
    pub per_order: &'static str,
    pub not_instrumented: &'static str,
    pub gain_title: &'static str,
    pub gain_subtitle: &'static str,
    pub gain: &'static str,
    pub loss: &'static str,
    pub noise: &'static str,
    pub total: &'static str,
    pub latency_title: &'static str,
    pub latency_subtitle: &'static str,
    pub percentiles: [&'static str; 4],
    pub offered: &'static str,
    pub not_measured: &'static str,
    pub run_latency_title: &'static str,
    pub run_latency_subtitle: &'static str,
    pub percentile_axis: &'static str,
    pub latency_axis: &'static str,
    pub slowest: &'static str,
    pub achieved: &'static str,
    pub sweep_title: &'static str,
    pub sweep_subtitle: &'static str,
    pub sweep_latency_axis: &'static str,
    pub batch: &'static str,
    pub scale_title: &'static str,
    pub scale_subtitle: &'static str,
    pub shards_axis: &'static str,
    pub measured: &'static str,
    pub fitted: &'static str,
    pub ideal: &'static str,
    pub contention: &'static str,
    pub coherency: &'static str,
    pub race_title: &'static str,
    pub race_subtitle: &'static str,
    pub race_axis: &'static str,
    pub recover_title: &'static str,
    pub recover_subtitle: &'static str,
    pub replay_alone: &'static str,
    pub with_snapshot: &'static str,
    pub with_snapshot_cold: &'static str,
    pub commands_axis: &'static str,
    pub pauses_title: &'static str,
    pub no_snapshots: &'static str,
    pub world_stopped: &'static str,
    pub with_shadow: &'static str,
    pub feed_event_title: &'static str,
    pub feed_event_subtitle: &'static str,
    pub feed_last_title: &'static str,
    pub feed_last_subtitle: &'static str,
    pub readers_axis: &'static str,
    pub by_mask: &'static str,
    pub by_channels: &'static str,
    pub by_nobody: &'static str,
    pub void_points: &'static str,
    pub venue_title: &'static str,
    pub venue_subtitle: &'static str,
    pub venue_ways: [&'static str; 7],
    pub venue_engines_title: &'static str,
    pub venue_engines_subtitle: &'static str,
    pub venue_late_title: &'static str,
    pub venue_late_subtitle: &'static str,
    pub venue_bare: &'static str,
    pub venue_connections_title: &'static str,
    pub venue_connections_subtitle: &'static str,
    pub venue_connections: &'static str,
    pub venue_each: &'static str,
    pub base: &'static str,
    pub current: &'static str,
    pub seed: &'static str,
    pub flow: &'static str,
    pub commit: &'static str,
    pub per_second: &'static str,
    /// Between the parts of a sentence that lists figures, and at its end.
    pub list: [&'static str; 2],
}

const ENGLISH: Words = Words {
    throughput_title: "Throughput by chapter",
    throughput_subtitle: "Durable orders per second, median of the rounds; the thin line spans the slowest and the fastest round",
    orders_per_s_axis: "orders/s, log scale",
    stages_title: "Where an order's time goes",
    stages_subtitle: "Share of each stage in the instrumented pass, and all stages together",
    per_order: "/order",
    not_instrumented: "not instrumented",
    gain_title: "What each step gains",
    gain_subtitle: "Throughput as a multiple of the first chapter, log scale; the label is the step's own factor",
    gain: "gain",
    loss: "loss",
    noise: "no difference seen",
    total: "in all",
    latency_title: "Latency to durable acknowledgement",
    latency_subtitle: "From an order's intended arrival, open loop, log scale",
    percentiles: ["p50", "p99", "p99.9", "max"],
    offered: "offered",
    not_measured: "not measured",
    run_latency_title: "Latency by percentile",
    run_latency_subtitle: "From an order's intended arrival to its durable acknowledgement, open loop, log scale",
    percentile_axis: "percentile of orders",
    latency_axis: "latency",
    slowest: "slowest",
    achieved: "achieved",
    sweep_title: "Throughput and latency by batch size",
    sweep_subtitle: "Each dot is one batch size, in orders; up is more orders, left is a shorter wait; log scales",
    sweep_latency_axis: "latency, p99",
    batch: "batch",
    scale_title: "Throughput by shards",
    scale_subtitle: "Measured medians, the Universal Scalability Law fitted to them, and perfect scaling",
    shards_axis: "shards",
    measured: "measured, slowest to fastest round",
    fitted: "fitted law",
    ideal: "perfect scaling",
    contention: "contention",
    coherency: "coherency",
    race_title: "What each step gains, before and after",
    race_subtitle: "Throughput as a multiple of the chapter before; each line holds the factor 19 times of 20",
    race_axis: "step, log scale",
    recover_title: "Start-up time by the log's length",
    recover_subtitle: "Until the first command is acknowledged; median of the rounds, slowest to fastest; log scales",
    replay_alone: "replay alone",
    with_snapshot: "with a snapshot",
    with_snapshot_cold: "with a snapshot, page cache cold",
    commands_axis: "commands in the log",
    pauses_title: "What a snapshot costs while it is made",
    no_snapshots: "no snapshots",
    world_stopped: "the world stopped",
    with_shadow: "with the shadow",
    feed_event_title: "What an event costs the matching thread, by readers",
    feed_event_subtitle: "Processor time of the thread that acknowledges; median of the rounds, slowest to fastest; log scales",
    feed_last_title: "From acknowledgement to the last reader, by readers",
    feed_last_subtitle: "Until every reader that reads has what the command changed; log scales",
    readers_axis: "readers",
    by_mask: "the feed",
    by_channels: "a channel for each reader",
    by_nobody: "nobody is told",
    void_points: "× void: the load could not keep up",
    venue_title: "Orders a second by the way they come",
    venue_subtitle: "In grey the same server with nothing to do; median of the rounds, slowest to fastest; log scale",
    venue_ways: [
        "HTTP, an empty handler",
        "HTTP",
        "HTTP, a connection for each",
        "WebSocket, an echo",
        "WebSocket, one a message",
        "WebSocket, in batches",
        "WebSocket, batches in bytes",
    ],
    venue_engines_title: "Engines behind the same door",
    venue_engines_subtitle: "Durable orders over HTTP; median of the rounds, slowest to fastest",
    venue_late_title: "From due to durable answer",
    venue_late_subtitle: "Open loop, beside the engine alone in the same run; log scale",
    venue_bare: "the engine alone",
    venue_connections_title: "From the first connection to the last",
    venue_connections_subtitle: "Until all who watch have what changed in the book, ten times a second; log scale",
    venue_connections: "connections",
    venue_each: "of the server's memory each",
    base: "before",
    current: "after",
    seed: "seed",
    flow: "flow",
    commit: "commit",
    per_second: "orders/s",
    list: ["; ", "."],
};

const CHINESE: Words = Words {
    throughput_title: "各章吞吐量",
    throughput_subtitle: "每秒持久化订单数，取各轮中位数；细线表示最慢一轮到最快一轮",
    orders_per_s_axis: "订单/秒，对数刻度",
    stages_title: "一张订单的时间花在哪里",
    stages_subtitle: "带秒表的那一遍中各阶段的占比，以及全部阶段合计",
    per_order: "/订单",
    not_instrumented: "没有秒表",
    gain_title: "每一步的收益",
    gain_subtitle: "吞吐量相对于第一章的倍数，对数刻度；标注为该步自身的倍数",
    gain: "收益",
    loss: "下降",
    noise: "未见差别",
    total: "合计",
    latency_title: "持久化确认延迟",
    latency_subtitle: "从订单应当到达的时刻起计算，开环测量，对数刻度",
    percentiles: ["p50", "p99", "p99.9", "最大"],
    offered: "供单速率",
    not_measured: "未测量",
    run_latency_title: "各百分位延迟",
    run_latency_subtitle: "从订单应当到达的时刻到持久化确认，开环测量，对数刻度",
    percentile_axis: "订单百分位",
    latency_axis: "延迟",
    slowest: "最慢",
    achieved: "实际达到",
    sweep_title: "不同批大小的吞吐量与延迟",
    sweep_subtitle: "每个点是一种批大小（订单数）；越靠上吞吐量越高，越靠左等待越短；双对数刻度",
    sweep_latency_axis: "延迟，p99",
    batch: "批",
    scale_title: "不同分片数的吞吐量",
    scale_subtitle: "实测中位数、对其拟合的通用可扩展性定律（USL），以及理想扩展",
    shards_axis: "分片数",
    measured: "实测，最慢一轮到最快一轮",
    fitted: "拟合曲线",
    ideal: "理想扩展",
    contention: "争用",
    coherency: "一致性开销",
    race_title: "每一步的收益，前后对比",
    race_subtitle: "吞吐量相对于前一章的倍数；每条线有 19/20 的把握包含真实倍数",
    race_axis: "每步倍数，对数刻度",
    recover_title: "启动时间与日志长度",
    recover_subtitle: "到第一条命令得到确认为止；各轮中位数，最慢一轮到最快一轮；双对数刻度",
    replay_alone: "只靠重放",
    with_snapshot: "有快照",
    with_snapshot_cold: "有快照，页缓存是冷的",
    commands_axis: "日志里的命令数",
    pauses_title: "做快照时的代价",
    no_snapshots: "不做快照",
    world_stopped: "全部停下来做",
    with_shadow: "由影子做",
    feed_event_title: "一个事件花掉撮合线程多少时间",
    feed_event_subtitle: "确认线程的处理器时间；各轮中位数，最慢一轮到最快一轮；双对数刻度",
    feed_last_title: "从确认到最后一个读者",
    feed_last_subtitle: "到每个在读的读者都有了这条命令的改动为止；双对数刻度",
    readers_axis: "读者数",
    by_mask: "行情线程",
    by_channels: "每个读者一个通道",
    by_nobody: "谁都没有",
    void_points: "× 作废：施加负载的线程跟不上",
    venue_title: "不同途径的每秒订单数",
    venue_subtitle: "灰色是同一个服务器无事可做时的数；各轮中位数，最慢一轮到最快一轮；对数刻度",
    venue_ways: [
        "HTTP，空处理函数",
        "HTTP",
        "HTTP，每单新建连接",
        "WebSocket，回显",
        "WebSocket，一条消息一单",
        "WebSocket，成批",
        "WebSocket，成批，用字节",
    ],
    venue_engines_title: "同一扇门后的引擎",
    venue_engines_subtitle: "每秒经 HTTP 持久化的订单；各轮中位数，最慢一轮到最快一轮",
    venue_late_title: "从该到的时刻到持久化的答复",
    venue_late_subtitle: "开环测量，同一次运行里与单独的引擎对照；对数刻度",
    venue_bare: "只有引擎",
    venue_connections_title: "从第一个连接到最后一个",
    venue_connections_subtitle: "到所有在看的人都有了订单簿的改动为止，每秒十次；对数刻度",
    venue_connections: "个连接",
    venue_each: "服务器内存，每个连接",
    base: "之前",
    current: "之后",
    seed: "种子",
    flow: "订单流",
    commit: "提交",
    per_second: "订单/秒",
    list: ["；", "。"],
};

/// The words of `language`.
pub(crate) fn words(language: Language) -> &'static Words {
    language.pick(&ENGLISH, &CHINESE)
}

/// A chapter's number and title: `0x01-naive` is "0x01" and "naive" or "朴素引擎". One that the catalogue does not have,
/// such as an exercise, is called as its folder is.
pub(crate) fn chapter_name(chapter: &str, chapters: &Catalogue, language: Language) -> (String, String) {
    let (number, slug) = chapter.split_once('-').unwrap_or((chapter, ""));
    let known = chapters.all().iter().find(|known| known.folder == chapter);
    let title = known.map_or(slug.replace('-', " "), |known| language.pick(&known.title.en, &known.title.zh).clone());
    (number.to_string(), title)
}

/// The title of one chapter's chart: "Latency by percentile: 0x03 group commit".
pub(crate) fn titled(title: &str, chapter: &str, chapters: &Catalogue, language: Language) -> String {
    let (number, name) = chapter_name(chapter, chapters, language);
    format!("{title}{}{number} {name}", language.pick(": ", "："))
}

/// The description of a chart: its title and a figure a chapter.
pub(crate) fn describe(title: &str, figures: &[String], language: Language) -> String {
    let [between, end] = words(language).list;
    let colon = language.pick(": ", "：");
    format!("{title}{colon}{}{end}", figures.join(between))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chapters;
    use crate::charts::text;

    fn catalogue() -> Catalogue {
        chapters::catalogue().expect("the manifests are sound")
    }

    #[test]
    fn the_font_has_every_character_that_labels_use() {
        // Units and numbers are written in `units.rs`, stages in the crate's `words.rs`, engines' titles in their
        // manifests, everything else in this file.
        let titles = catalogue().engines().map(|chapter| chapter.title.zh.clone()).collect::<String>();
        let sources =
            [include_str!("words.rs"), include_str!("../words.rs"), include_str!("../units.rs"), &titles].concat();
        let ascii: String = (' '..='~').collect();
        let others: String = sources.chars().filter(|c| !c.is_ascii()).collect();
        let common = "·×…–—µ²≈±®™©";
        let missing = text::missing(&[&ascii, others.as_str(), common].concat());
        assert!(missing.is_empty(), "run scripts/font_subset; the font lacks {missing:?}");
    }

    #[test]
    fn chapters_have_a_number_and_a_name() {
        let name = |chapter, language| {
            let (number, name) = chapter_name(chapter, &catalogue(), language);
            format!("{number}|{name}")
        };
        assert_eq!(name("0x04-allocation-reuse", Language::English), "0x04|allocation reuse");
        assert_eq!(name("0x03-group-commit", Language::Chinese), "0x03|组提交");
        assert_eq!(name("0x08-your-own", Language::Chinese), "0x08|your own");
        assert_eq!(name("mine", Language::English), "mine|");
    }
}
