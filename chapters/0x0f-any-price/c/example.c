/* A market in sixty lines: two asks, a bid that takes one and a half of them, a cancel by handle. Prints the events. */
#include "any_price.h"

#include <inttypes.h>
#include <stdio.h>

static void print_event(void *context, const any_price_event *event) {
    static const char *const kinds[] = {"", "filled", "rested", "reduced", "cancelled", "rejected"};
    static const char *const sides[] = {"bid", "ask", "no"};
    unsigned *count = context;
    *count += 1;
    printf("%" PRIu64 ": %s %s %" PRIu64, event->number, kinds[event->kind], sides[event->side], event->id);
    printf(": %" PRIu32 " at %" PRId64 ", %" PRIu32 " left", event->quantity, event->price, event->left);
    if (event->taker != 0) printf(", by %" PRIu64, event->taker);
    if (event->reason != 0) printf(", reason %d", event->reason);
    printf("\n");
}

static any_price_command limit(uint64_t number, uint64_t id, uint8_t side, int64_t price, uint32_t quantity,
                               uint8_t time_in_force) {
    any_price_command command = {.number = number, .id = id, .price = price, .quantity = quantity};
    command.kind = ANY_PRICE_LIMIT;
    command.side = side;
    command.time_in_force = time_in_force;
    return command;
}

int main(void) {
    unsigned count = 0;
    any_price_book *book = any_price_create();

    const any_price_command commands[] = {
        limit(1, 101, ANY_PRICE_ASK, 1000000, 10, ANY_PRICE_GTC),
        limit(2, 102, ANY_PRICE_ASK, INT64_MAX, 10, ANY_PRICE_GTC),
        {.number = 3, .id = 102, .price = INT64_MAX, .quantity = 8, .kind = ANY_PRICE_REPLACE},
        {.number = 4, .id = 102, .price = 1000007, .quantity = 8, .kind = ANY_PRICE_REPLACE},
        limit(5, 103, ANY_PRICE_BID, 1000007, 14, ANY_PRICE_IOC),
        limit(6, 102, ANY_PRICE_BID, 5, 1, ANY_PRICE_GTC),
        limit(7, 104, ANY_PRICE_BID, INT64_MIN, 3, ANY_PRICE_POST_ONLY),
        limit(8, 105, 7, 1, 1, ANY_PRICE_GTC),
    };
    const size_t all = sizeof commands / sizeof commands[0];
    any_price_event events[4];
    uint32_t handle = 0;
    size_t done = 0, written = 0;
    do {
        done += any_price_batch(book, commands + done, all - done, events, 4, &written);
        for (size_t i = 0; i < written; i++) {
            print_event(&count, &events[i]);
            if (events[i].id == 102 && events[i].kind == ANY_PRICE_RESTED) handle = events[i].handle;
        }
    } while (done < all || written == 4);

    int64_t best = 0;
    if (any_price_best(book, ANY_PRICE_ASK, &best)) {
        printf("best ask %" PRId64 " with %" PRIu64 "\n", best, any_price_quantity_at(book, ANY_PRICE_ASK, best));
    }
    any_price_command cancel = {.number = 9, .id = 102, .handle = handle, .kind = ANY_PRICE_CANCEL};
    any_price_apply(book, &cancel, print_event, &count);
    any_price_apply(book, &cancel, print_event, &count);
    any_price_command market = {.number = 10, .id = 105, .quantity = 5, .kind = ANY_PRICE_MARKET, .side = ANY_PRICE_ASK};
    any_price_apply(book, &market, print_event, &count);
    printf("bids left: %d, without a book: %d\n", any_price_best(book, ANY_PRICE_BID, &best),
           any_price_apply(NULL, &market, print_event, &count));
    printf("%u events\n", count);
    any_price_destroy(book);
    return 0;
}
