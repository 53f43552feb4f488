//! An order whose answer is lost: this chapter's page says that it does not know, and sends nothing again. 0x0b's does. And
//! an answer that is lost in the middle, after its status, is lost too.

use tempfile::TempDir;

use crate::server::Server;
use crate::trader::Trader;

#[test]
fn an_order_without_an_answer_is_not_sent_again() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let mut ann = Trader::at(browser, "lost", &server, (1280, false));
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.join();
    let address = server.kill();
    ann.sees(".status", "Stale");
    let said = ann.place("buy-yes", 30, 1, "gtc");
    assert!(said.contains("No answer arrived."), "{said}");

    let _again = Server::start_at(folder.path(), &address.to_string());
    ann.sees(".status", "Live");
    assert!(ann.place("buy-yes", 30, 2, "gtc").contains("2 rest at 30."));
    ann.rests_at(30, "2", "");
    // No number of an order is kept, because this venue promises nothing for it.
    let kept = ann.browser.ask("Object.keys(localStorage).join()");
    assert_eq!(kept, "nnc-key");
}

/// The page's account, whose answers are cut off one after the other: what it then knows, and whether it asks again.
const CUT_OFF: &str = "(async () => {
    const { Account } = await import('/page/account.js');
    const bodies = {
        '/v1/accounts': { account: 1000, key: 'nnc_1' },
        '/v1/account': { account: 1000, name: 'Ann', holdings: [], at: [5] },
        '/v1/orders': { orders: [{ market: 1, order: 1 }], at: [5] },
        '/v1/fills': { fills: [], since: [1], at: [5] },
    };
    let cut = '/v1/accounts';
    let asked = 0;
    globalThis.fetch = async address => {
        asked += 1;
        const path = address.split('?')[0];
        const body = JSON.stringify(bodies[path]);
        return new Response(path === cut ? body.slice(0, -1) : body);
    };
    const account = new Account({ touch() {} });
    account.stream = { state: 'waiting' };
    const seen = [await account.open('Ann').catch(problem => problem.reason), account.isOpen];
    account.key = 'nnc_1';
    for (cut of ['/v1/account', '/v1/orders', '/v1/fills', null, '/v1/orders']) {
        asked = 0;
        await account.refresh();
        seen.push(asked, account.id, account.orders.length);
    }
    // A mistake while the page is drawn must not be the end of all refreshing either.
    account.touch = () => { throw new Error('drawing failed'); };
    await account.refresh().catch(() => null);
    account.touch = () => {};
    asked = 0;
    await account.refresh();
    return JSON.stringify([...seen, asked]);
})()";

#[test]
fn an_answer_that_is_cut_off_is_lost() {
    let Some(mut browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    browser.open(&server.url("/page/icon.svg"));
    let seen = browser.ask(CUT_OFF);
    let expected = "[\"lost\",false,3,null,0,3,null,0,3,null,0,3,1000,1,3,1000,1,3]";
    assert_eq!(seen, expected, "what a cut answer said is not known, what was known stays, and each refresh asks");
}

/// A request over the page's WebSocket that is refused until later.
const REFUSED: &str = "(async () => {
    const { Stream } = await import('/page/net.js');
    const stream = new Stream({ message() {}, changed() {} });
    Object.assign(stream, { state: 'live', socket: { send() {} } });
    const refused = stream.request({ do: 'place' }).catch(problem => problem.details.retryAfter);
    stream.hear(JSON.stringify({ re: 1, problem: { reason: 'too-many-requests', retry_after_s: 7 } }));
    return refused;
})()";

#[test]
fn a_refusal_over_the_stream_says_when_to_come_back() {
    let Some(mut browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    browser.open(&server.url("/page/icon.svg"));
    assert_eq!(browser.ask(REFUSED), 7);
}
