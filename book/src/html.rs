//! Text made safe for a page.

/// `text` made safe for HTML text and attributes; braces too, so that no later step mistakes them for a
/// directive.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('{', "&#123;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_in_escaped_text_are_not_a_directive_any_more() {
        assert_eq!(escape("{{num a}} <b>"), "&#123;&#123;num a}} &lt;b&gt;");
    }
}
