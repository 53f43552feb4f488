"""A client that survives kill -9: of the venue, of its connections, and of itself.

    python3 client.py http://127.0.0.1:8099 nnc_KEY state.json ORDERS

It places ORDERS orders, each once, and counts the notices of its account, each once. Everything that it has to remember is in
one small file, which it replaces as a whole BEFORE it sends and AFTER it has read.
"""

import http.client, json, os, random, sys, threading, time
from urllib.parse import urlsplit

VENUE, KEY, FILE, ORDERS = urlsplit(sys.argv[1]).netloc, sys.argv[2], sys.argv[3], int(sys.argv[4])
HEADERS = {"Authorization": f"Bearer {KEY}"}
lock = threading.Lock()
state = json.load(open(FILE)) if os.path.exists(FILE) else {"next": 1, "under_way": None, "cursor": "first", "counted": 0}


def save():
    with open(FILE + ".new", "w") as file:
        json.dump(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(FILE + ".new", FILE)  # a kill leaves the old file or the new one, never half of one


def place(order):
    """Sends the same request until it has an answer; the venue carries it out once."""
    wait = 0.01
    while True:
        connection = http.client.HTTPConnection(VENUE, timeout=5)
        try:
            connection.request("POST", "/v1/orders", json.dumps(order), HEADERS)
            answer = connection.getresponse()
            body = json.loads(answer.read())
            if answer.status not in (429, 503):
                return body
            wait = float(answer.headers.get("Retry-After", wait))
        except (OSError, http.client.HTTPException, ValueError):
            pass  # no answer, or half of one: whether the order was placed is not known, and need not be
        finally:
            connection.close()
        time.sleep(wait * (0.5 + random.random()))  # jitter, so that clients that failed together return apart
        wait = min(2 * wait, 1)


def read_notices():
    """Goes on behind the last cursor, for ever. The cursor and what it led to are saved together."""
    while True:
        try:
            connection = http.client.HTTPConnection(VENUE, timeout=5)
            connection.request("GET", "/v1/notices", headers={**HEADERS, "Last-Event-ID": state["cursor"]})
            event, cursor = None, None
            for line in connection.getresponse():
                if not line.endswith(b"\n"):
                    break  # the connection broke within a line, which may be half a cursor
                name, _, value = line.decode().rstrip("\n").partition(": ")
                event, cursor = (value if name == "event" else event), (value if name == "id" else cursor)
                if line == b"\n" and cursor:
                    with lock:
                        state["cursor"], state["counted"] = cursor, state["counted"] + (event == "notice")
                        save()
                    event, cursor = None, None
        except (OSError, http.client.HTTPException, ValueError):
            time.sleep(0.01)


threading.Thread(target=read_notices, daemon=True).start()
while state["next"] <= ORDERS or state["under_way"]:
    with lock:
        if not state["under_way"]:
            number = state["next"]
            price = 40 + number % 20
            state["under_way"] = {"market": 1, "intent": "buy-yes", "price": price, "quantity": 1, "lane": 9, "number": number}
            state["next"] += 1
            save()  # before it is sent: after a kill the same request is sent again
    place(state["under_way"])
    with lock:
        state["under_way"] = None
        save()
print("placed", ORDERS, flush=True)
threading.Event().wait()  # it goes on counting until it is killed
