//! The text of `--help` for a reader whose system speaks Chinese.

use clap::{Args, Command};
use results::language::Language;

use super::args::ExerciseArgs;

/// The help of each argument.
const HELP: [(&str, &str); 11] = [
    ("chapter", "要写的章，0x02 或之后；只建了一个练习时，--check、--hint、--race、--diff 可以不写章名"),
    ("check", "对你写的代码跑这一章的测试，一步一步来，停在第一个没通过的步骤"),
    ("all", "与 --check 同用：每一步都跑"),
    (
        "test",
        "与 --check 同用：只跑这些测试。写 tests 下的文件名，如 lesson，或者 lib（写在代码旁边的单元测试）；:: 后面写名字的一部分，如 lesson::a_lone_command",
    ),
    ("hint", "指出上次检查发现的错误该去哪里找；写 2 则指出该找什么"),
    ("race", "和上一章的引擎比速度；与 --check 同用时，全部测试通过后才比"),
    ("diff", "逐个文件打印你的改动和书上的改动；全部测试通过后可用"),
    ("folder", "存放练习的文件夹，路径从当前目录算起 [默认：仓库里的 exercises]"),
    ("force", "覆盖已有的练习重新建好；前面的练习没完成也照样建；测试没全过也给看书上的改动"),
    ("lang", "用英文（en）还是中文（zh）说话 [默认：看系统的语言设置]"),
    ("help", "打印这份说明"),
];

/// The help, if this process's arguments ask for that of `exercise` in Chinese.
pub fn asked_for(arguments: &[String]) -> Option<String> {
    let [verb, flags @ ..] = arguments else { return None };
    let asks = verb == "exercise" && flags.iter().any(|flag| flag == "--help" || flag == "-h");
    let named = |tag: &str| {
        let next = flags.windows(2).any(|pair| pair[0] == "--lang" && pair[1] == tag);
        next || flags.contains(&format!("--lang={tag}"))
    };
    let chinese = named("zh") || (Language::of_the_locale() == Language::Chinese && !named("en"));
    (asks && chinese).then(text)
}

fn text() -> String {
    let mut command = ExerciseArgs::augment_args(Command::new("exercise"))
        .bin_name("scripts/exercise")
        .about("建好一章的练习，或者检查你写的代码")
        .disable_help_flag(true)
        .arg(clap::Arg::new("help").short('h').long("help").action(clap::ArgAction::Help))
        .help_template("{about}\n\n用法：{usage}\n\n{all-args}\n")
        .override_usage("scripts/exercise [章] [选项]");
    for (id, help) in HELP {
        let heading = if id == "chapter" { "参数" } else { "选项" };
        command = command.mut_arg(id, |arg| arg.help(help).help_heading(heading));
    }
    // Its help already lists both values, in Chinese.
    command.mut_arg("lang", |arg| arg.hide_possible_values(true)).render_help().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_has_its_help_in_chinese() {
        let command = ExerciseArgs::augment_args(Command::new("exercise"));
        let missing = command.get_arguments().find(|arg| HELP.iter().all(|(id, _)| arg.get_id() != id));
        assert!(missing.is_none(), "no Chinese help for {missing:?}");
        let text = text();
        assert!(
            text.contains("用法：scripts/exercise") && text.contains("选项:") && !text.contains("Options"),
            "{text}"
        );
    }

    #[test]
    fn chinese_help_is_shown_to_chinese_readers() {
        let said = |arguments: &str| asked_for(&arguments.split(' ').map(str::to_owned).collect::<Vec<_>>()).is_some();
        assert!(said("exercise --help --lang zh") && said("exercise 0x03 -h --lang=zh"));
        assert!(!said("exercise --lang zh --check") && !said("ladder --help --lang zh"));
    }
}
