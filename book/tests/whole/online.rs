//! The book made ready for the web: the contents of the folder, and that a book that is not meant for the web stays
//! as it is.

use crate::fixture::Mini;
use book::online::FILES;
use results::language::Language;
use std::fs;

const SITE: &str = "https://example.org/cents";

/// Builds the small book with these arguments, and serves it to be read.
fn built(mini: &Mini, arguments: &[&str]) {
    let output = mini.run(&[&["build", "--output", "site"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

fn read(mini: &Mini, file: &str) -> String {
    fs::read_to_string(mini.path("site").join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

#[test]
fn a_page_declares_its_address_and_its_languages() {
    let mini = Mini::new();
    built(&mini, &["--site-url", SITE]);
    for (file, name) in [("zh/two.html", "two"), ("zh/one.html", "one"), ("zh/index.html", "one")] {
        let page = read(&mini, file);
        for line in [
            format!("<link rel=\"canonical\" href=\"{SITE}/zh/{name}.html\">"),
            format!("<link rel=\"alternate\" hreflang=\"en\" href=\"{SITE}/en/{name}.html\">"),
            format!("<link rel=\"alternate\" hreflang=\"zh-CN\" href=\"{SITE}/zh/{name}.html\">"),
            format!("<link rel=\"alternate\" hreflang=\"x-default\" href=\"{SITE}/\">"),
            format!("<meta property=\"og:image\" content=\"{SITE}/throughput.zh.png\">"),
            "<meta property=\"og:image:width\" content=\"2\">".to_owned(),
            "<meta property=\"og:locale:alternate\" content=\"en_US\">".to_owned(),
            "<script src=\"../register.js\" defer></script>".to_owned(),
        ] {
            assert_eq!(page.matches(&line).count(), 1, "{file}: {line}\n{page}");
        }
        assert_eq!(page.matches("<link rel=\"alternate\"").count(), 3, "{file}");
        let policy = page.lines().find(|line| line.contains("Content-Security-Policy")).unwrap();
        assert!(!policy.contains("file:") && !policy.contains("unsafe"), "{policy}");
        assert!(!page.contains("class=\"source\""), "no repository, no link to it");
    }
    let start = read(&mini, "index.html");
    assert!(start.contains(&format!("<link rel=\"canonical\" href=\"{SITE}/\">")), "{start}");
    assert!(start.contains(&format!("hreflang=\"zh-CN\" href=\"{SITE}/zh/one.html\"")), "{start}");
    assert!(start.contains("<meta property=\"og:type\" content=\"website\">"), "{start}");
    assert!(mini.path("site/throughput.en.png").is_file());
    assert!(!read(&mini, "en/print.html").contains("canonical"), "what is printed is found page by page");
}

#[test]
fn the_map_holds_every_page_once() {
    let mini = Mini::new();
    built(&mini, &["--site-url", SITE]);
    let map = read(&mini, "sitemap.xml");
    for lang in Language::ALL {
        for page in mini.project().pages(lang).unwrap().iter().skip(1) {
            let address = format!("{SITE}/{}/{}", lang.tag(), page.name().replace(".md", ".html"));
            assert_eq!(map.matches(&format!("<loc>{address}</loc>")).count(), 1, "{address} in {map}");
            let alternate = format!("hreflang=\"{}\" href=\"{address}\"", lang.html_tag());
            assert_eq!(map.matches(&alternate).count(), 2, "{alternate} in {map}");
        }
    }
    assert!(!map.contains("print.html") && !map.contains("index.html"), "{map}");
    // It is never looked for in a folder; a host of its own has one.
    assert!(!mini.path("site/robots.txt").exists());
    built(&mini, &["--site-url", "https://example.org/"]);
    assert!(read(&mini, "robots.txt").contains("Sitemap: https://example.org/sitemap.xml"));
    assert!(read(&mini, "404.html").contains("href=\"/zh/index.html\""));
}

#[test]
fn a_page_brings_the_scripts_that_it_uses() {
    let mini = Mini::new();
    built(&mini, &["--site-url", SITE]);
    for (page, uses) in [("en/one.html", true), ("en/two.html", false)] {
        let html = read(&mini, page);
        assert_eq!(html.contains("class=\"sandbox\""), uses, "{page}");
        for script in ["highlight-", "book/theme/market-", "book/theme/telling-", "book/theme/sandbox-"] {
            assert_eq!(html.contains(&format!("<script src=\"{script}")), uses, "{page}: {script}");
        }
        assert!(!html.contains("book/theme/player-") && html.contains("book/theme/search-"), "{page}");
    }
}

#[test]
fn a_correction_is_one_link_away_where_there_is_a_repository() {
    let mini = Mini::new();
    for repository in ["https://github.com/you/cents", "https://github.com/you/cents.git"] {
        built(&mini, &["--repository", repository]);
        for lang in Language::ALL {
            let source = format!("book/{}/two.md", lang.tag());
            let link = format!("<a href=\"https://github.com/you/cents/edit/HEAD/{source}\"><code>{source}</code></a>");
            let page = read(&mini, &format!("{}/two.html", lang.tag()));
            assert!(page.contains(&link), "{page}");
        }
    }
    assert!(FILES.iter().all(|file| !mini.path("site").join(file).exists()), "a folder to read from needs none");
}

#[test]
fn a_book_for_a_folder_stays_as_it_is() {
    let mini = Mini::new();
    assert_eq!(mini.run(&["build"]).status.code(), Some(0));
    built(&mini, &["--site-url", SITE, "--repository", SITE]);
    built(&mini, &[]);
    assert!(FILES.iter().all(|file| !mini.path("site").join(file).exists()), "what was for the web is gone");
    for file in ["index.html", "en/one.html", "zh/two.html", "zh/print.html"] {
        assert_eq!(read(&mini, file), mini.built(file), "{file}");
    }
}

#[test]
fn the_workers_version_follows_the_content() {
    let mini = Mini::new();
    let worker = || {
        built(&mini, &["--site-url", SITE]);
        read(&mini, "worker.js")
    };
    let first = worker();
    assert_eq!(first, worker(), "the same book is the same version");
    assert!(!first.contains('@'), "{first}");
    for file in ["index.html", "register.js", "en/one.html", "en/two.html"] {
        assert!(first.contains(&format!("\"{file}\"")), "{file} in {first}");
    }
    assert!(!first.contains("print.html") && !first.contains("\"worker.js\""), "{first}");
    // A file that keeps its name.
    mini.edit("book/theme/online/missing.html", "Start from", "Start at");
    assert_ne!(first, worker());
}

#[test]
fn an_invalid_picture_is_reported() {
    let mini = Mini::new();
    fs::write(mini.path("output/reference/charts/throughput.zh.png"), "<svg/>").unwrap();
    let output = mini.run(&["build", "--output", "site", "--site-url", SITE]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("throughput.zh.png") && said.contains("it is not a PNG"), "{said}");
}
