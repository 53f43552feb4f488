//! The checker is effective: a small book that passes is broken on purpose, one thing at a time, and each break
//! must be reported with its file, its line and its reason.

mod named_test;

use crate::fixture::Mini;
use book::stamp::stamp;
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use std::fs;

#[test]
fn the_small_book_passes_and_holds_its_records() {
    let mini = Mini::new();
    assert_eq!(mini.problems(), []);
    let (en, zh) = (mini.built("en/one.html"), mini.built("zh/one.html"));
    assert!(en.contains(">8,400</data>") && en.contains(">150×</data>") && en.contains(">520\u{a0}µs</data>"));
    assert!(zh.contains(">150\u{a0}倍</data>") && zh.contains("<html lang=\"zh-CN\""));
    assert!(en.contains("1.23\u{a0}million") && zh.contains("123\u{a0}万"));
    assert!(zh.contains("</data> 单，批量引擎"), "a line's end inside Chinese must not become a space");
    assert!(en.contains("<code class=\"language-rust ignore\">/// Takes one command.\nfn submit"), "{en}");
    assert!(
        en.contains("hreflang=\"zh-CN\" href=\"../zh/one.html\"")
            && zh.contains("hreflang=\"en\" href=\"../en/one.html\"")
    );
    assert!(
        en.contains("aria-label=\"Throughput of both engines.\"")
            && en.contains(">engine</text>")
            && zh.contains(">引擎</text>")
    );
    assert!(mini.built("en/two.html").contains("<ins>+        self.batch.push(command);\n</ins>"));
    assert!(mini.built("index.html").contains("href=\"zh/index.html\""));
    assert!(!en.contains("en:00000000") && !zh.contains("<!-- en:"));
}

#[test]
fn the_readers_own_run_stands_beside_the_reference() {
    let mini = Mini::new();
    let own = fs::read_to_string(mini.path("output/reference/ladder.json")).unwrap();
    let own = own.replace("1200000.0", "7500000.0").replace("1234567.0", "7654321.0").replace("1300000.0", "7700000.0");
    fs::write(mini.path("output/ladder.json"), own.replace("CPU 3000", "CPU 9000")).unwrap();
    assert_eq!(mini.problems(), []);
    let en = mini.built("en/one.html");
    assert!(en.contains("1.23\u{a0}million<span class=\"yours\">") && en.contains("7.65\u{a0}million"), "{en}");
    assert!(en.contains("Fixture CPU 9000") && en.contains("<span class=\"own\">yours 910×</span></data>"));
    assert!(mini.built("zh/one.html").contains("<span class=\"own\">你的 910\u{a0}倍</span></data>"));
}

#[test]
fn a_translation_out_of_step_is_reported() {
    let mini = Mini::new();
    mini.edit("book/en/one.md", "How fast", "How very fast");
    assert_eq!(mini.bites("book/zh/one.md", "translates an older English section"), 1);
    assert_eq!(mini.stamped().problems(), []);
    mini.edit("book/zh/one.md", "## 代码 {#code}\n<!-- en:", "## 代码 {#code}\n<!-- was:");
    mini.bites("book/zh/one.md", "has no hash");
}

#[test]
fn a_heading_without_twin_id_or_place_is_reported() {
    Mini::new().edit("book/en/one.md", "## Words {#words}", "## Words {#other}").bites("book/en/one.md", "has no twin");
    Mini::new().edit("book/zh/one.md", "## 词 {#words}", "## 词").bites("book/zh/one.md", "needs an explicit id");
    Mini::new().edit("book/en/one.md", "{#words}", "{#code}").bites("book/en/one.md", "is used twice");
    Mini::new().edit("book/zh/one.md", "## 代码", "### 代码").bites("book/zh/one.md", "heading of level 3");
}

#[test]
fn a_page_missing_on_one_side_is_reported() {
    let mini = Mini::new();
    mini.edit("book/zh/SUMMARY.md", "[改动](two.md)", "");
    assert_eq!(mini.bites("book/en/SUMMARY.md", "`two.md` is not in book/zh/SUMMARY.md"), 5);
    mini.bites("book/zh/two.md", "not in SUMMARY.md");
}

#[test]
fn a_number_without_record_is_reported_with_its_line() {
    let line =
        Mini::new().edit("book/en/one.md", "latency_ns.p50", "latency_ns.p42").bites("book/en/one.md", "no key `p42`");
    assert_eq!(line, 9);
    Mini::new()
        .edit("book/zh/one.md", "{{num ladder:", "{{num stairs:")
        .bites("book/zh/one.md", "output/reference/stairs.json");
    Mini::new().edit("book/en/one.md", "| si2}}", "| miles}}").bites("book/en/one.md", "no format `miles`");
    Mini::new()
        .edit("book/en/one.md", "{{table numbers}}", "{{tabel numbers}}")
        .bites("book/en/one.md", "no directive `tabel`");
    Mini::new()
        .edit("book/en/one.md", "{{chart throughput", "{{chart absent")
        .bites("book/en/one.md", "charts/absent.en.svg");
    Mini::new()
        .edit("book/en/one.md", "box | A box with the word engine.", "box")
        .bites("book/en/one.md", "what the picture shows");
}

#[test]
fn a_figure_typed_by_hand_is_reported() {
    let mini = Mini::new();
    mini.edit("book/en/one.md", "Now run it.", "Now run it.\nIt takes 3.4 ms.");
    assert_eq!(mini.bites("book/en/one.md", "`3.4 ms` is typed by hand"), 39);
    Mini::new().edit("book/zh/one.md", "现在运行它。", "每秒 300 万单。").bites("book/zh/one.md", "typed by hand");
    Mini::new()
        .edit("book/en/one.md", "literal: the venue's published figure", "literal:")
        .bites("book/en/one.md", "typed by hand");
    Mini::new()
        .edit("book/en/one.md", "Now run", "```text\np50 = 3 ms\n```\nNow run")
        .bites("book/en/one.md", "is pasted");
    Mini::new().edit("book/drawings/box.svg", ">engine<", ">5 ms<").bites("book/drawings/box.svg", "typed by hand");
    Mini::new()
        .edit("book/diffs/0x02.toml", "are collected", "are 3× faster")
        .bites("book/diffs/0x02.toml", "typed by hand");
}

#[test]
fn pasted_code_is_reported() {
    let code = "```rust\nfn a() {}\nfn b() {}\nfn c() {}\nfn d() {}\n```\n\nNow run it.";
    assert_eq!(
        Mini::new().edit("book/en/one.md", "Now run it.", code).bites("book/en/one.md", "4 lines of Rust are pasted"),
        38
    );
}

#[test]
fn an_include_that_finds_nothing_is_reported() {
    let include = "engine.rs:submit}}\n```";
    Mini::new().edit("book/en/one.md", include, "engine.rs:gone}}\n```").bites("book/en/one.md", "no `ANCHOR: gone`");
    Mini::new().edit("book/en/one.md", include, "motor.rs:submit}}\n```").bites("book/en/one.md", "motor.rs");
    Mini::new().edit("book/en/one.md", include, "engine.rs:3:9}}\n```").bites("book/en/one.md", "lines move");
    Mini::new()
        .edit("book/en/one.md", "{{code 0x01/src/engine.rs:submit}}", "{{code 0x09/src/engine.rs:submit}}")
        .bites("book/en/one.md", "there is no chapter \"0x09\"; there are 0x01-plain, 0x02-batch");
    let mini = Mini::new();
    mini.edit("chapters/0x02-batch/src/engine.rs", "    // ANCHOR_END: submit\n", "")
        .bites("book/en/one.md", "has no `ANCHOR_END");
}

#[test]
fn a_diff_without_a_sentence_is_reported() {
    let mini = Mini::new();
    mini.edit("chapters/0x02-batch/src/engine.rs", "//! An engine.", "//! A batching engine.");
    assert_eq!(mini.problems(), []);
    fs::write(mini.path("chapters/0x02-batch/src/batch.rs"), "//! New.\n").unwrap();
    assert_eq!(mini.bites("book/en/two.md", "`src/batch.rs` changed, but book/diffs/0x02.toml has no sentence"), 5);
    Mini::new()
        .edit("book/diffs/0x02.toml", "src/engine.rs", "src/motor.rs")
        .bites("book/zh/two.md", "which did not change");
}

#[test]
fn a_page_that_takes_too_long_is_reported() {
    let words = |count: usize| "word ".repeat(count);
    let mini = |said: &str, more: &str| {
        let mini = Mini::new();
        mini.edit("book/en/one.md", "How fast", &format!("It takes {said} minutes. How fast"));
        mini.edit("book/zh/one.md", "{{drawing", &format!("约 {said} 分钟。\n\n{{{{drawing"));
        mini.edit("book/en/one.md", "It is held to", &format!("{more}It is held to")).stamped();
        mini
    };
    let long = mini("{{minutes}}", &words(4_000));
    assert_eq!(long.bites("book/en/one.md", "the page takes 21 minutes, more than 20"), 3);
    assert_eq!(long.bites("book/zh/one.md", "the page takes 21 minutes, more than 20"), 6);
    let left_out = mini("{{minutes}}, or {{minutes without code}},", &words(4_000));
    assert_eq!(left_out.problems(), []);
    assert!(left_out.built("en/one.html").contains("It takes 21, or 1, minutes."));
    assert!(left_out.built("zh/one.html").contains("约 21, or 1, 分钟"));
    let folded = format!("\n\n<details><summary>More</summary>\n\n{}\n\n</details>\n\n", words(4_000));
    assert_eq!(mini("{{minutes}}", &folded).problems(), []);
    let reason = "book/en/one.md has no section `codes`";
    mini("{{minutes without codes}}", "").bites("book/zh/one.md", reason);
}

#[test]
fn a_sandbox_that_cannot_play_is_reported() {
    let sandbox = "book/sandboxes/rain.toml";
    let page = |from, to, reason| Mini::new().edit(sandbox, from, to).bites("book/zh/one.md", reason);
    page("place.2.buy-no.45", "place.2.buy-maybe.45", "buy-maybe");
    page("\"resolve.yes\",", "\"end.yes\",", "`end.yes` is not a command; write place.ACCOUNT");
    page("still = 3", "still = 9", "beyond the end");
    page("still = 3", "stil = 3", "unknown field `stil`");
    let mini = Mini::new();
    mini.edit("book/zh/one.md", "{{sandbox rain}}", "").bites(sandbox, "no page in book/zh has {{sandbox rain}}");
    mini.edit(sandbox, "没有下雨，", "没有下雨,").bites(sandbox, "full-width");
    let words = "book/sandboxes/words.toml";
    Mini::new()
        .edit(words, "订单簿里没有", "委托簿里没有")
        .edit("book/glossary.toml", "[\"匹配\"]", "[\"委托簿\"]")
        .bites(words, "委托簿");
    Mini::new()
        .edit(words, "[why]", "[reasons]")
        .bites("book/en/one.md", "the words have no `ImmediateOrCancel` under [why]");
    assert!(Mini::new().edit("book/en/one.md", "](#numbers)", "](#rain-dry)").stamped().problems().is_empty());
    Mini::new().edit("book/en/one.md", "](#numbers)", "](#rain-wet)").bites("book/en/one.md", "has no `rain-wet`");
}

#[test]
fn a_step_that_the_book_does_not_show_is_reported() {
    let mini = Mini::new();
    mini.edit("book/zh/two.md", "{{diff 0x01 0x02}}", "");
    assert_eq!(mini.bites("book/zh/SUMMARY.md", "no page has {{diff 0x01 0x02}}"), 1);
    fs::copy(mini.path("book/diffs/0x02.toml"), mini.path("book/diffs/0x09.toml")).unwrap();
    mini.bites("book/diffs/0x09.toml", "a chapter that does not exist");
}

#[test]
fn a_broken_link_anchor_or_picture_is_reported() {
    let line = Mini::new()
        .edit("book/en/one.md", "two.md#diff-src-engine-rs", "two.md#nowhere")
        .bites("book/en/one.md", "has no `nowhere`");
    assert_eq!(line, 32);
    Mini::new().edit("book/en/one.md", "](#numbers)", "](#digits)").bites("book/en/one.md", "has no `digits`");
    Mini::new().edit("book/zh/one.md", "(two.md#", "(three.md#").bites("book/zh/one.md", "leads to no file");
    Mini::new()
        .edit("book/en/one.md", "Now run it.", "![a](a.png)")
        .bites("book/en/one.md", "`a.png` leads to no file");
}

#[test]
fn braces_left_in_a_page_are_reported() {
    let mini = Mini::new();
    mini.edit("book/en/one.md", "Now run it.", "Now \\{{num it}}.");
    mini.bites("book/en/one.md", "`{{num it}}` is left in the built page");
}

#[test]
fn a_term_rendered_differently_is_reported() {
    Mini::new().edit("book/zh/one.md", "**撮合**有多快", "它有多快").bites("book/zh/one.md", "never uses `撮合`");
    Mini::new().edit("book/zh/one.md", "现在运行它", "现在匹配它").bites("book/zh/one.md", "this book says `撮合`");
    let mini = Mini::new();
    mini.edit("book/zh/one.md", "**撮合**有多快？", "它有多快？<!-- term: matching -->");
    assert_eq!(mini.problems(), []);
}

#[test]
fn a_term_before_its_explanation_is_reported() {
    let mini = Mini::new();
    assert_eq!(
        mini.edit("book/en/one.md", "**matching**", "matching").stamped().bites("book/en/one.md", "first time"),
        3
    );
    Mini::new().edit("book/zh/one.md", "**延迟**", "延迟").bites("book/zh/one.md", "first time");
    // A word that the glossary calls technical is not an everyday word.
    let mini = Mini::new();
    mini.edit("book/glossary.toml", "avoid = [", "loose = true\navoid = [");
    mini.edit("book/en/one.md", "**matching**", "matching").edit("book/zh/one.md", "**撮合**", "撮合");
    assert_eq!(mini.stamped().problems(), []);
    mini.edit("book/glossary.toml", "loose = true", "loose = true\ntechnical = true");
    mini.bites("book/en/one.md", "first time");
}

/// The small book with a guess in it, whose section ends with this.
fn with_a_guess(answer: &str) -> Mini {
    let mini = Mini::new();
    let guess = |heading: &str| format!("## Guess {{#guess}}\n\nHow many?\n\n{answer}\n\n{heading}");
    mini.edit("book/en/one.md", "## Numbers {#numbers}", &guess("## Numbers {#numbers}"));
    mini.edit("book/zh/one.md", "## 数字 {#numbers}", &guess("## 数字 {#numbers}"));
    mini.edit("book/zh/one.md", "## Guess {#guess}\n\nHow many?", "## 猜 {#guess}\n\n多少？");
    stamp(&mini.project(), &[]).unwrap();
    mini
}

#[test]
fn a_guess_without_an_answer_is_reported() {
    with_a_guess("").bites("book/en/one.md", "names no answer");
    let gone = "<!-- answer: num ladder:chapters[0x02].orders_per_s.median -->";
    with_a_guess(gone).bites("book/zh/one.md", "does not come after it");
    with_a_guess("<!-- answer: #one -->").bites("book/en/one.md", "no such section comes after it");
    for answer in ["num ladder:chapters[0x01].orders_per_s.median", "#code", "table stages 0x02"] {
        assert_eq!(with_a_guess(&format!("<!-- answer: {answer} -->")).problems(), [], "{answer}");
    }
}

#[test]
fn an_answer_before_its_guess_is_reported() {
    let answer = "<!-- answer: num ladder:chapters[0x01].orders_per_s.median -->";
    for early in ["{{num ladder:chapters[0x01].orders_per_s.median | si2}}", "{{table ladder}}", "{{chart throughput}}"]
    {
        let mini = with_a_guess(answer);
        mini.edit("book/en/one.md", "{{drawing box", &format!("{early}\n\n{{{{drawing box"));
        assert_eq!(mini.bites("book/en/one.md", "answers a guess that is made later"), 5, "{early}");
    }
}

#[test]
fn a_chart_word_outside_the_glossary_is_reported() {
    let chart = "output/reference/charts/throughput.zh.svg";
    assert_eq!(Mini::new().edit(chart, "\n吞吐量\n", "\n匹配\n").bites(chart, "this book says `撮合`"), 5);
    let mini = Mini::new();
    mini.edit("output/reference/charts/throughput.en.svg", "\nThroughput\n", "\nLatency\n");
    mini.bites(chart, "`latency` is `延迟` in this book");
    Mini::new()
        .edit("chapters/0x02-batch/Cargo.toml", "zh = \"", "zh = \"匹配")
        .bites("chapters/0x02-batch/Cargo.toml", "匹配");
}

#[test]
fn chinese_set_like_english_is_reported() {
    Mini::new()
        .edit("book/zh/one.md", "现在运行它。", "现在run它。")
        .bites("book/zh/one.md", "space between Chinese and Latin");
    Mini::new().edit("book/zh/one.md", "现在运行它。", "现在运行它,好吗？").bites("book/zh/one.md", "full-width");
}

#[test]
fn the_diff_prints_in_a_terminal() {
    let output = Mini::new().run(&["diff", "0x01", "0x02", "--lang", "zh"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("+++ chapters/0x02-batch/src/engine.rs\n# 命令先收集，再执行。\n@@ "), "{text}");
    assert!(text.contains("\n-        self.apply(command);\n+        self.batch.push(command);\n"));
    assert!(text.ends_with("2 个文件有改动, +10 -5\n"), "{text}");
}

#[test]
fn plain_mdbook_builds_the_same_pages_through_the_command() {
    let mini = Mini::new();
    assert_eq!(mini.run(&["preprocess", "supports", "html"]).status.code(), Some(0));
    assert_eq!(mini.run(&["preprocess", "supports", "epub"]).status.code(), Some(1));
    assert_eq!(mini.problems(), []);
    let mut config = Config::from_disk(mini.path("book.toml")).unwrap();
    config.set("preprocessor.book.command", format!("{} preprocess", env!("CARGO_BIN_EXE_book"))).unwrap();
    config.build.build_dir = mini.path("plain");
    MDBook::load_with_config(mini.root(), config).unwrap().build().unwrap();
    assert_eq!(fs::read_to_string(mini.path("plain/one.html")).unwrap(), mini.built("en/one.html"));
}
