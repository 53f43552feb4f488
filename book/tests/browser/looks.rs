//! How often a page is checked: in which languages, widths and colours.

use program::rounds::Rounds;
use results::language::Language;

/// How the players on a page are checked: the language, the width, and whether in the dark.
///
/// With all rounds each language is checked in each width; with few, each language, width and
/// colour once.
pub fn looks() -> &'static [(Language, u32, bool)] {
    Rounds::asked().pick(
        &[(Language::English, 390, true), (Language::Chinese, 1280, false)],
        &[
            (Language::English, 390, true),
            (Language::Chinese, 1280, true),
            (Language::English, 1280, false),
            (Language::Chinese, 390, false),
        ],
    )
}

/// How this one of several players is checked: with few rounds in one of these ways, and the next in the other.
pub fn looks_of(player: usize) -> &'static [(Language, u32, bool)] {
    Rounds::asked().pick(&looks()[player % 2..][..1], looks())
}

/// Whether a picture of each page is kept: then every way is used.
pub fn keeps_pictures() -> bool {
    std::env::var_os("BOOK_PICTURES").is_some()
}

/// Whether this one of several pages or states is checked in this language: with few rounds each in one of the two,
/// and the next in the other.
pub fn is_asked(lang: Language, number: usize) -> bool {
    keeps_pictures() || Rounds::asked().pick((lang as usize + number).is_multiple_of(2), true)
}

#[test]
fn each_is_asked_in_a_language() {
    for number in 0..4 {
        let asked = Language::ALL.into_iter().filter(|&lang| is_asked(lang, number)).count();
        assert_eq!(
            asked,
            if keeps_pictures() { 2 } else { Rounds::asked().pick(1, 2) },
            "languages in which number {number} is checked"
        );
    }
}

#[test]
fn two_players_are_looked_at_in_every_way() {
    let both: Vec<_> = [6, 7].into_iter().flat_map(looks_of).collect();
    let missing = looks().iter().find(|look| !both.contains(look));
    assert_eq!(missing, None, "a language, a width and a colour that no player is checked in");
}
