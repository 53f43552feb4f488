# Two traders over WebSocket, with a library that knows nothing of this project: place, trade, get a notice, cancel.
import asyncio
import json
import sys

import websockets

ADDRESS, ANN, BEN = sys.argv[1:]


class Trader:
    def __init__(self, socket):
        self.socket, self.number, self.heard = socket, 0, []

    async def next(self):
        return json.loads(await asyncio.wait_for(self.socket.recv(), 30))

    # Sends a request, and waits for its answer; keeps the messages before it.
    async def ask(self, what, **fields):
        self.number += 1
        await self.socket.send(json.dumps({"id": self.number, "do": what, **fields}))
        while (message := await self.next()).get("re") != self.number:
            self.heard.append(message)
        return message

    # Waits for a message that is not an answer.
    async def hear(self, is_it):
        while True:
            for message in self.heard:
                if is_it(message):
                    return message
            self.heard.append(await self.next())


async def main():
    async with websockets.connect(ADDRESS) as one, websockets.connect(ADDRESS) as other:
        ann, ben = Trader(one), Trader(other)
        refused = await ann.ask("place", market=1, intent="buy-yes", price=60, quantity=10)
        assert refused["problem"]["reason"] == "unauthenticated", refused
        assert "ok" in await ann.ask("login", key=ANN)
        assert "ok" in await ben.ask("login", key=BEN)
        assert (await ann.ask("watch", markets=[1]))["ok"]["markets"] == [1]
        placed = (await ann.ask("place", market=1, intent="buy-yes", price=60, quantity=10))["ok"]
        assert (placed["status"], placed["left"]) == ("resting", 10), placed
        met = (await ben.ask("place", orders=[{"market": 1, "intent": "buy-no", "price": 40, "quantity": 4}]))["ok"]
        assert (met[0]["status"], met[0]["filled"]) == ("filled", 4), met
        notice = await ann.hear(lambda message: message.get("kind") == "notice")
        assert notice["order"] == placed["order"] and notice["event"]["role"] == "maker", notice
        book = await ann.hear(lambda m: m.get("format") and m["message"].get("depth") == [[60, 6]])
        assert book["message"]["best_bid"] == 60, book
        trade = await ann.hear(lambda m: m.get("format") and m["message"]["kind"] == "trade")
        assert trade["message"]["quantity"] == 4, trade
        theirs = await ben.ask("cancel", market=1, order=placed["order"])
        assert theirs["problem"]["reason"] == "not-the-owner", theirs
        mine = await ann.ask("cancel-all", market=1)
        assert mine["ok"]["cancelled"] == [placed["order"]], mine


asyncio.run(main())
