// The market's rules, read a second time: what `chapters/0x00-market/src/model.rs` says in Rust, for the page to
// play with. Same functions, same order, same names of events and reasons. That they agree is tested: a test of the
// book sends the same random commands through both and compares every event and every state.
//
// A plain script, because a browser loads no module from a folder. A page finds it as `book.market`, node as a module.
(function market(scope) {
    'use strict';

    const PAYOUT = 100;
    // 2^32 - 1 pairs of shares. Every sum below stays under it, far from where a double loses a cent.
    const MARKET_MAX = (2 ** 32 - 1) * PAYOUT;

    // What each intent bets on (its side of the book), whether it pays cash, and which share it trades.
    const INTENTS = {
        'buy-yes': { side: 'bid', buys: true, share: 'yes' },
        'sell-yes': { side: 'ask', buys: false, share: 'yes' },
        'buy-no': { side: 'ask', buys: true, share: 'no' },
        'sell-no': { side: 'bid', buys: false, share: 'no' },
    };
    const TIMES = ['gtc', 'ioc', 'fok', 'post-only'];

    // Between the share's own price and the book's, which is in YES cents. Its own inverse.
    const inYesCents = (intent, price) => INTENTS[intent].share === 'yes' ? price : PAYOUT - price;

    // Whether an order of this side and limit trades with one that rests at `price`.
    const crosses = (side, limit, price) => side === 'bid' ? price <= limit : price >= limit;

    // Negative if `one` stands before `other` on a side of the book: the better price, then the earlier order.
    const before = side => (one, other) =>
        (side === 'bid' ? other.price - one.price : one.price - other.price) || one.order - other.order;

    function tradeKind(one, other) {
        if (INTENTS[one].buys !== INTENTS[other].buys) return 'Transfer';
        return INTENTS[one].buys ? 'Mint' : 'Merge';
    }

    // What an open order locks: cents if it buys, shares if it sells.
    function needs(intent, price, quantity) {
        const buys = INTENTS[intent].buys;
        return { cash: buys ? inYesCents(intent, price) * quantity : 0, shares: buys ? 0 : quantity };
    }

    const noHoldings = () => ({ cash: 0, cash_locked: 0, yes: 0, yes_locked: 0, no: 0, no_locked: 0 });

    // Moves what one party of a trade at `price` (YES cents) pays and gets.
    function settle(holdings, party, price, quantity) {
        const { buys, share } = INTENTS[party.intent];
        const locked = needs(party.intent, party.price, quantity);
        const value = inYesCents(party.intent, price) * quantity;
        holdings.cash_locked -= locked.cash;
        holdings[share + '_locked'] -= locked.shares;
        if (buys) {
            holdings.cash += locked.cash - value;
            holdings[share] += quantity;
        } else {
            holdings.cash += value;
        }
    }

    // Thrown by whatever rejects a command; nothing has changed by then.
    class Rejection {
        constructor(reason) { this.reason = reason; }
    }
    const reject = reason => { throw new Rejection(reason); };

    class Market {
        constructor(id) {
            this.id = id;
            this.closed = false;
            this.pot = 0;
            this.funded = 0; // deposits less withdrawals
            this.ordersPlaced = 0;
            this.resting = []; // in order of arrival, both sides together
            this.accounts = new Map();
        }

        holdings(account) {
            if (!this.accounts.has(account)) this.accounts.set(account, noHoldings());
            return this.accounts.get(account);
        }

        deposit({ account, amount }, events) {
            if (amount === 0 || this.funded + amount > MARKET_MAX) reject('AmountOutOfRange');
            this.funded += amount;
            this.holdings(account).cash += amount;
            events.push({ event: 'deposited', market: this.id, account, amount });
        }

        withdraw({ account, amount }, events) {
            if (amount === 0) reject('AmountOutOfRange');
            if (!this.accounts.has(account) || this.holdings(account).cash < amount) reject('InsufficientCash');
            this.funded -= amount;
            this.holdings(account).cash -= amount;
            events.push({ event: 'withdrawn', market: this.id, account, amount });
        }

        place({ account, intent, price: asked, quantity, time_in_force: time }, events) {
            if (asked < 1 || asked > 99) reject('BadPrice');
            if (quantity === 0) reject('ZeroQuantity');
            const { side, share } = INTENTS[intent];
            const price = inYesCents(intent, asked);
            const free = this.accounts.get(account) || noHoldings();
            const needed = needs(intent, price, quantity);
            if (free.cash < needed.cash) reject('InsufficientCash');
            if (free[share] < needed.shares) reject('InsufficientShares');
            if (time === 'post-only' && this.bestMatch(side, price)) reject('WouldCross');
            if (time === 'fok' && !this.fillsWhole(account, side, price, quantity)) reject('CannotFill');

            // Nothing can fail from here on.
            const order = this.ordersPlaced;
            const taker = { order, account, intent, price, quantity };
            this.lock(taker);
            events.push({ event: 'accepted', market: this.id, ...taker });
            for (let maker; taker.quantity > 0 && (maker = this.bestMatch(side, price));) {
                if (maker.account === account) return this.drop(taker, 'SelfTrade', events);
                events.push(this.trade(maker, taker));
            }
            if (taker.quantity === 0) return;
            if (time === 'gtc' || time === 'post-only') this.resting.push(taker);
            else this.drop(taker, 'ImmediateOrCancel', events);
        }

        // Trades as much as both have.
        trade(maker, taker) {
            const quantity = Math.min(maker.quantity, taker.quantity);
            const price = maker.price;
            for (const party of [maker, taker]) settle(this.holdings(party.account), party, price, quantity);
            const kind = tradeKind(maker.intent, taker.intent);
            if (kind === 'Mint') this.pot += PAYOUT * quantity;
            if (kind === 'Merge') this.pot -= PAYOUT * quantity;
            taker.quantity -= quantity;
            maker.quantity -= quantity;
            if (maker.quantity === 0) this.resting = this.resting.filter(order => order !== maker);
            return {
                event: 'traded', market: this.id, maker: maker.order, maker_account: maker.account,
                taker: taker.order, taker_account: taker.account, price, quantity,
                maker_intent: maker.intent, taker_intent: taker.intent,
            };
        }

        // The order that one of this side and limit meets first, if there is any.
        bestMatch(side, limit) {
            return this.side(side === 'bid' ? 'ask' : 'bid').find(order => crosses(side, limit, order.price));
        }

        // Whether an order could trade whole, without reaching one of its own account.
        fillsWhole(account, side, limit, quantity) {
            let ahead = 0;
            for (const order of this.side(side === 'bid' ? 'ask' : 'bid')) {
                if (order.account === account || !crosses(side, limit, order.price)) break;
                ahead += order.quantity;
            }
            return ahead >= quantity;
        }

        cancel({ account, order }, events) {
            const found = this.resting.find(resting => resting.order === order) || reject('UnknownOrder');
            if (found.account !== account) reject('NotTheOwner');
            this.resting = this.resting.filter(resting => resting !== found);
            this.drop(found, 'Requested', events);
        }

        resolve({ outcome }, events) {
            // The bids from the best to the worst, then the asks.
            for (const order of [...this.side('bid'), ...this.side('ask')]) this.drop(order, 'Resolved', events);
            this.resting = [];
            let paid = 0;
            for (const [account, holdings] of this.inOrder()) {
                const amount = holdings[outcome] * PAYOUT;
                holdings.yes = holdings.no = 0;
                if (amount === 0) continue;
                holdings.cash += amount;
                this.pot -= amount;
                paid += amount;
                events.push({ event: 'paid', market: this.id, account, amount });
            }
            this.closed = true;
            events.push({ event: 'resolved', market: this.id, outcome, paid });
        }

        // Sets aside what an order needs, out of what is free.
        lock(order) { this.move(order, 1); }

        // Makes free again what the rest of an order had locked, and says that it is gone.
        drop({ account, order, intent, price, quantity }, reason, events) {
            this.move({ account, intent, price, quantity }, -1);
            events.push({ event: 'cancelled', market: this.id, account, order, quantity, reason });
        }

        move({ account, intent, price, quantity }, sign) {
            const holdings = this.holdings(account);
            const { cash, shares } = needs(intent, price, quantity);
            const { share } = INTENTS[intent];
            holdings.cash -= sign * cash;
            holdings.cash_locked += sign * cash;
            holdings[share] -= sign * shares;
            holdings[share + '_locked'] += sign * shares;
        }

        // The resting orders of a side, best price first, then by time.
        side(side) {
            return this.resting.filter(order => INTENTS[order.intent].side === side).sort(before(side));
        }

        inOrder() { return [...this.accounts].sort(([one], [other]) => one - other); }

        state() {
            return {
                closed: this.closed,
                pot: this.pot,
                orders_placed: this.ordersPlaced,
                bids: this.side('bid').map(order => ({ ...order })),
                asks: this.side('ask').map(order => ({ ...order })),
                accounts: this.inOrder().map(([account, holdings]) => [account, { ...holdings }]),
            };
        }

        // The laws that hold between any two commands, each with its figures.
        laws() {
            const sum = field => [...this.accounts.values()].reduce((total, holdings) => total + holdings[field], 0);
            const cash = sum('cash') + sum('cash_locked');
            const [yes, no] = ['yes', 'no'].map(share => sum(share) + sum(share + '_locked'));
            const needed = new Map([...this.accounts.keys()].map(account => [account, noHoldings()]));
            for (const { account, intent, price, quantity } of this.resting) {
                const { cash, shares } = needs(intent, price, quantity);
                const held = needed.get(account) || noHoldings();
                held.cash_locked += cash;
                held[INTENTS[intent].share + '_locked'] += shares;
            }
            const locks = ['cash_locked', 'yes_locked', 'no_locked'];
            const [bid, ask] = [this.side('bid')[0], this.side('ask')[0]];
            return [
                { law: 'funds', holds: cash + this.pot === this.funded, cash, pot: this.pot, funded: this.funded },
                { law: 'pairs', holds: yes === no && yes * PAYOUT === this.pot, yes, no, pot: this.pot },
                {
                    law: 'locks',
                    holds: [...this.accounts].every(([id, held]) => locks.every(of => held[of] === needed.get(id)[of])),
                    cash: sum('cash_locked'), yes: sum('yes_locked'), no: sum('no_locked'),
                },
                { law: 'crossed', holds: !bid || !ask || bid.price < ask.price, bid: bid && bid.price, ask: ask && ask.price },
            ];
        }
    }

    // All markets. `apply` gives the events that a command leads to.
    class Model {
        constructor() { this.markets = new Map(); }

        apply(command) {
            const events = [];
            try {
                this.tryApply(command, events);
            } catch (rejection) {
                if (!(rejection instanceof Rejection)) throw rejection;
                events.push({ event: 'rejected', market: command.market, reason: rejection.reason });
            }
            return events;
        }

        tryApply(command, events) {
            const id = command.market;
            if (command.command === 'open') {
                if (this.markets.has(id)) reject('MarketExists');
                this.markets.set(id, new Market(id));
                events.push({ event: 'opened', market: id });
                return;
            }
            const market = this.markets.get(id) || reject('UnknownMarket');
            if (command.command === 'place') market.ordersPlaced += 1;
            // A closed market only gives money back.
            if (market.closed && command.command !== 'withdraw') reject('MarketClosed');
            market[command.command](command, events);
        }
    }

    const rules = { Model, INTENTS, TIMES, inYesCents, needs, tradeKind };
    if (typeof module === 'object') module.exports = rules;
    else (scope.book ??= {}).market = rules;
})(globalThis);
