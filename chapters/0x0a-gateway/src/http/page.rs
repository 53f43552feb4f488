//! The page: files that are compiled into the program; nothing is loaded from anywhere else.
//!
//! Layers hand in files of their own. The page learns from one small module, which is written at the start, what they
//! extend: the page itself knows no layer, and the program that assembles a venue decides what its page does.

use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;

use crate::front::{Fronts, PageFile};
use crate::venue::Venue;

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// The files by path, each with its content type.
const FILES: &[(&str, &str, &[u8])] = &[
    ("/", HTML, include_bytes!("../../page/index.html")),
    ("/page/account.js", SCRIPT, include_bytes!("../../page/account.js")),
    ("/page/bookview.js", SCRIPT, include_bytes!("../../page/bookview.js")),
    ("/page/chart.js", SCRIPT, include_bytes!("../../page/chart.js")),
    ("/page/costs.js", SCRIPT, include_bytes!("../../page/costs.js")),
    ("/page/dialog.js", SCRIPT, include_bytes!("../../page/dialog.js")),
    ("/page/dom.js", SCRIPT, include_bytes!("../../page/dom.js")),
    ("/page/early.js", SCRIPT, include_bytes!("../../page/early.js")),
    ("/page/estimate.js", SCRIPT, include_bytes!("../../page/estimate.js")),
    ("/page/fields.js", SCRIPT, include_bytes!("../../page/fields.js")),
    ("/page/format.js", SCRIPT, include_bytes!("../../page/format.js")),
    ("/page/header.js", SCRIPT, include_bytes!("../../page/header.js")),
    ("/page/headline.js", SCRIPT, include_bytes!("../../page/headline.js")),
    ("/page/holdings.js", SCRIPT, include_bytes!("../../page/holdings.js")),
    ("/page/icon.svg", PICTURE, include_bytes!("../../page/icon.svg")),
    ("/page/ladder.js", SCRIPT, include_bytes!("../../page/ladder.js")),
    ("/page/list.js", SCRIPT, include_bytes!("../../page/list.js")),
    ("/page/main.js", SCRIPT, include_bytes!("../../page/main.js")),
    ("/page/markets.js", SCRIPT, include_bytes!("../../page/markets.js")),
    ("/page/net.js", SCRIPT, include_bytes!("../../page/net.js")),
    ("/page/newcomer.js", SCRIPT, include_bytes!("../../page/newcomer.js")),
    ("/page/operator.html", HTML, include_bytes!("../../page/operator.html")),
    ("/page/operator.js", SCRIPT, include_bytes!("../../page/operator.js")),
    ("/page/orders.js", SCRIPT, include_bytes!("../../page/orders.js")),
    ("/page/page.css", STYLE, include_bytes!("../../page/page.css")),
    ("/page/spark.js", SCRIPT, include_bytes!("../../page/spark.js")),
    ("/page/ticket.js", SCRIPT, include_bytes!("../../page/ticket.js")),
    ("/page/trades.js", SCRIPT, include_bytes!("../../page/trades.js")),
    ("/page/words.js", SCRIPT, include_bytes!("../../page/words.js")),
];

pub(super) fn routes(fronts: &Fronts) -> Router<Arc<Venue>> {
    let route = |routes: Router<_>, (path, kind, bytes): (&'static str, &'static str, &'static [u8])| {
        routes.route(path, get(move || async move { ([(CONTENT_TYPE, kind)], bytes).into_response() }))
    };
    let of_layers = fronts.iter().flat_map(|front| front.page());
    let of_layers = of_layers.map(|&PageFile { path, media_type, content, .. }| (path, media_type, content.as_bytes()));
    let extensions = extensions(fronts.iter().flat_map(|front| front.page()));
    let extensions = get(move || async move { ([(CONTENT_TYPE, SCRIPT)], extensions).into_response() });
    FILES.iter().copied().chain(of_layers).fold(Router::new(), route).route("/page/extensions.js", extensions)
}

/// The module that names what layers extend, in the layers' order.
fn extensions<'f>(files: impl Iterator<Item = &'f PageFile>) -> String {
    let paths = files.filter(|file| file.extends).map(|file| file.path);
    let (imports, names): (String, Vec<_>) = (1..)
        .zip(paths)
        .map(|(number, path)| {
            (format!("import {{ extend as extend{number} }} from '{path}';\n"), format!("extend{number}"))
        })
        .unzip();
    format!("{imports}export const extensions = [{}];\n", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{FILES, PageFile, SCRIPT, extensions};

    #[test]
    fn every_file_of_the_page_is_served() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/page")).unwrap();
        let mut names: Vec<_> = folder.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        let mut served: Vec<_> = FILES.iter().map(|(path, ..)| path.trim_start_matches("/page/").to_owned()).collect();
        served.iter_mut().filter(|name| *name == "/").for_each(|name| *name = "index.html".into());
        names.sort();
        served.sort();
        assert_eq!(served, names);
    }

    #[test]
    fn the_page_imports_what_extends_it() {
        let file = |path, extends| PageFile { path, media_type: SCRIPT, content: "", extends };
        assert_eq!(extensions([].iter()), "export const extensions = [];\n");
        let files = [file("/page/a.js", true), file("/page/b.js", false), file("/page/c.js", true)];
        let expected = "import { extend as extend1 } from '/page/a.js';\n\
                        import { extend as extend2 } from '/page/c.js';\n\
                        export const extensions = [extend1, extend2];\n";
        assert_eq!(extensions(files.iter()), expected);
    }

    #[test]
    fn the_page_has_a_text_for_every_reason() {
        let (reasons, words) = (include_str!("../problem.rs"), include_str!("../../page/words.js"));
        // Each reason follows its variant: `Why::Busy => ("busy", …`.
        let reasons: Vec<_> = reasons.split("=> (\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(reasons.len() > 20, "{reasons:?}");
        let missing: Vec<_> = reasons.iter().filter(|reason| !words.contains(&format!("'r-{reason}':"))).collect();
        assert!(missing.is_empty(), "words.js has no text for: {missing:?}");
    }
}
