/* A market in sixty lines: two asks, a bid that takes one and a half of them, a cancel. Prints the book's events. */
#include "any_price.h"

#include <inttypes.h>
#include <stdio.h>

static void print_event(void *context, const any_price_event *event) {
    unsigned *count = context;
    *count += 1;
    switch (event->kind) {
    case ANY_PRICE_FILLED:
        printf("filled %" PRIu64 " by %" PRIu64 ": %" PRIu32 " at %" PRId64 "\n", event->id, event->taker,
               event->quantity, event->price);
        break;
    case ANY_PRICE_RESTED:
        printf("rested %" PRIu64 ": %" PRIu32 " at %" PRId64 "\n", event->id, event->quantity, event->price);
        break;
    case ANY_PRICE_REDUCED:
        printf("reduced %" PRIu64 " to %" PRIu32 "\n", event->id, event->quantity);
        break;
    case ANY_PRICE_CANCELLED:
        printf("cancelled %" PRIu64 ": %" PRIu32 ", reason %" PRIu32 "\n", event->id, event->quantity, event->reason);
        break;
    default:
        printf("rejected %" PRIu64 ", reason %" PRIu32 "\n", event->id, event->reason);
    }
}

int main(void) {
    unsigned events = 0;
    int64_t best = 0;
    any_price_book *book = any_price_create();

    any_price_limit(book, 101, ANY_PRICE_ASK, 1000000, 10, ANY_PRICE_GTC, print_event, &events);
    any_price_limit(book, 102, ANY_PRICE_ASK, INT64_MAX, 10, ANY_PRICE_GTC, print_event, &events);
    any_price_replace(book, 102, INT64_MAX, 8, print_event, &events);
    any_price_replace(book, 102, 1000007, 8, print_event, &events);
    any_price_limit(book, 103, ANY_PRICE_BID, 1000007, 14, ANY_PRICE_IOC, print_event, &events);
    any_price_limit(book, 102, ANY_PRICE_BID, 5, 1, ANY_PRICE_GTC, print_event, &events);
    any_price_limit(book, 104, ANY_PRICE_BID, INT64_MIN, 3, ANY_PRICE_POST_ONLY, print_event, &events);

    if (any_price_best(book, ANY_PRICE_ASK, &best)) {
        printf("best ask %" PRId64 " with %" PRIu64 "\n", best, any_price_quantity_at(book, ANY_PRICE_ASK, best));
    }
    any_price_cancel(book, 102, print_event, &events);
    any_price_cancel(book, 102, print_event, &events);
    any_price_market(book, 105, ANY_PRICE_ASK, 5, print_event, &events);
    printf("bids left: %d, an invalid side: %d\n", any_price_best(book, ANY_PRICE_BID, &best),
           any_price_limit(book, 106, 2, 1, 1, ANY_PRICE_GTC, print_event, &events));
    printf("%u events\n", events);
    any_price_destroy(book);
    return 0;
}
