//! What is kept of names, and what is not.

use super::*;

fn key() -> Key {
    Key::random().expect("randomness")
}

#[test]
fn names_are_stored_and_keys_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = Names::open(folder.path()).expect("a new file");
    let operator = names.operator_key(false).expect("a key").expect("the first");
    let ann = names.new_account("Ann", AccountId(0), key()).expect("an account");
    let question = Question { en: "Rain?".into(), zh: "下雨吗？".into() };
    assert_eq!(names.new_market(&question, MarketId(6)).expect("room for it"), MarketId(7));
    drop(names);

    let names = Names::open(folder.path()).expect("the same file");
    assert_eq!(names.session(ann.key.hash()), Some(Session::Account(AccountId(FIRST_ACCOUNT))));
    assert_eq!(names.session(operator.hash()), Some(Session::Operator));
    assert_eq!(names.session(KeyHash::of("nnc_00")), None);
    assert!(names.operator_key(false).expect("a look").is_none(), "there is one");
    assert_eq!(names.question(MarketId(7)), question);
    assert_eq!(names.name(ann.account), "Ann");
    for entry in std::fs::read_dir(folder.path()).expect("a folder") {
        let bytes = std::fs::read(entry.expect("a file").path()).expect("its bytes");
        for key in [&ann.key, &operator] {
            let is_there = bytes.windows(key.reveal().len()).any(|part| part == key.reveal().as_bytes());
            assert!(!is_there, "a key is on disk");
        }
    }
}

#[test]
fn an_account_number_is_never_given_out_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = Names::open(folder.path()).expect("a new file");
    let known = AccountId(5_000);
    assert_eq!(names.new_account("", known, key()).expect("an account").account, AccountId(5_001));
    assert_eq!(names.new_account("", known, key()).expect("an account").account, AccountId(5_002));
    assert!(matches!(names.new_account("", AccountId(u32::MAX), key()), Err(NamesError::Full(..))));
}

#[test]
fn a_new_key_takes_the_old_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = Names::open(folder.path()).expect("a new file");
    let old = names.new_account("Ann", AccountId(0), key()).expect("an account");
    let new = names.new_key(old.account).expect("a key");
    let again = Names::open(folder.path()).expect("the same file");
    for names in [names, again] {
        assert_eq!(names.session(old.key.hash()), None);
        assert_eq!(names.session(new.hash()), Some(Session::Account(old.account)));
    }
}

#[test]
fn a_file_of_another_kind_is_refused_with_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(FILE_NAME), "no database at all, but long enough to look like one")
        .expect("a file");
    let error = Names::open(folder.path()).err().expect("a refusal").to_string();
    assert!(error.contains("not a database") && error.contains("no money"), "{error}");
}

#[test]
fn the_client_that_made_a_key_gets_its_account_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = Names::open(folder.path()).expect("a new file");
    let words = key().reveal().to_owned();
    let own = || Key::made_by_client(&words).expect("a key");
    let first = names.new_account("Ann", AccountId(0), own()).expect("an account").account;
    assert_eq!(names.new_account("Ann", AccountId(0), own()).expect("the same").account, first);
    drop(names);
    let names = Names::open(folder.path()).expect("the same file");
    assert_eq!(names.new_account("Ann", AccountId(0), own()).expect("the same").account, first);
    assert_eq!(names.accounts(), [first]);
    names.new_key(first).expect("another key");
    assert_ne!(names.new_account("Ann", AccountId(0), own()).expect("an account").account, first, "it has another key");
}

struct Kept(std::sync::Mutex<Vec<Change>>);

impl Witness for Kept {
    fn witness(&self, change: &Change) -> std::io::Result<()> {
        let mut kept = self.0.lock().expect("no panic");
        if kept.len() == 2 {
            return Err(std::io::Error::other("there is no room"));
        }
        kept.push(change.clone());
        Ok(())
    }
}

#[test]
fn a_witness_has_each_change_first_and_another_file_made_of_them_is_the_same() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let kept = std::sync::Arc::new(Kept(std::sync::Mutex::default()));
    let names = Names::witnessed(folder.path(), vec![kept.clone()]).expect("a new file");
    let key = key();
    let hash = key.hash();
    let ann = names.new_account("Ann", AccountId(0), key).expect("an account").account;
    let question = Question { en: "Will it?".into(), zh: "会吗？".into() };
    let market = names.new_market(&question, MarketId(0)).expect("a market");
    // What the witness can't keep is not done.
    let refused = names.new_market(&question, market).expect_err("no room").to_string();
    assert!(refused.contains("could not be copied: there is no room"), "{refused}");
    assert_ne!(names.question(MarketId(market.0 + 1)), question);

    let copy = Names::open(other.path()).expect("a new file");
    // Twice, as after a kill.
    for _ in 0..2 {
        copy.apply(&kept.0.lock().expect("no panic")).expect("they are made");
    }
    assert_eq!(copy.changes().expect("a look"), names.changes().expect("a look"));
    assert_eq!(copy.session(hash), Some(Session::Account(ann)));
    assert_eq!((copy.name(ann), copy.question(market)), ("Ann".to_owned(), question));
}

#[test]
fn changes_can_be_made_again_when_a_key_or_a_code_has_passed_to_another_account() {
    let account = |account, key| Change::Account { account, name: format!("Number {account}"), key_hash: [key; 32] };
    let code = |account, code: &str| Change::Code { account, code: code.into() };
    let all =
        [account(1_000, 1), account(1_000, 2), account(1_001, 1), code(1_000, "A"), code(1_000, "B"), code(1_001, "A")];
    let folder = tempfile::tempdir().expect("a folder");
    let names = Names::open(folder.path()).expect("a new file");
    names.apply(&all).expect("they are made");
    let once = names.changes().expect("a look");
    assert_eq!(once, [account(1_000, 2), account(1_001, 1), code(1_000, "B"), code(1_001, "A")]);
    // A kill may come at any change, and then they are made again from the first one on.
    for cut in 0..=all.len() {
        for (names, changes) in [(&names, &all[..cut]), (&Names::open(folder.path()).expect("the file"), &all[..])] {
            names.apply(changes).expect("they are made again");
        }
        assert_eq!(names.changes().expect("a look"), once);
    }
    names.apply(&all).expect("they are made again");
    for names in [&names, &Names::open(folder.path()).expect("the same file")] {
        let has = |account| names.key_hash(AccountId(account)).map(|hash| hash.0[0]);
        assert_eq!((has(1_000), has(1_001)), (Some(2), Some(1)));
    }
}
