/* A book for any price: prices in signed 64-bit ticks, orders named by any 64-bit number, quantities in lots.
 *
 * Build the library: cargo build --release -p any-price-c
 * It is target/release/libany_price_c.so (.dylib, any_price_c.dll). example.c beside it shows all of it.
 *
 * A book belongs to one thread at a time. A callback may not use the book that calls it. An event is only there
 * until the callback returns. Functions that return bool say false when the book is NULL or a side or a time in force
 * is none of those below; then no event comes. All else is answered with events. */
#ifndef ANY_PRICE_H
#define ANY_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct any_price_book any_price_book;

enum { ANY_PRICE_BID = 0, ANY_PRICE_ASK = 1 };
enum { ANY_PRICE_GTC = 0, ANY_PRICE_IOC = 1, ANY_PRICE_FOK = 2, ANY_PRICE_POST_ONLY = 3 };

/* any_price_event.kind */
enum {
    ANY_PRICE_FILLED = 1,    /* id rested, taker came; price and quantity of the trade */
    ANY_PRICE_RESTED = 2,    /* id waits at price with quantity */
    ANY_PRICE_REDUCED = 3,   /* id has quantity left and keeps its place */
    ANY_PRICE_CANCELLED = 4, /* id is gone with quantity; reason 1 asked, 2 replaced, 3 may not rest, 4 nobody left */
    ANY_PRICE_REJECTED = 5   /* nothing changed; reason 1 wants nothing, 2 name taken, 3 unknown, 4 would cross,
                                5 can't fill */
};

typedef struct {
    uint32_t kind;
    uint32_t reason;
    uint64_t id;
    uint64_t taker;
    int64_t price;
    uint32_t quantity;
} any_price_event;

typedef void (*any_price_callback)(void *context, const any_price_event *event);

any_price_book *any_price_create(void);
void any_price_destroy(any_price_book *book);

bool any_price_limit(any_price_book *book, uint64_t id, uint32_t side, int64_t price, uint32_t quantity,
                     uint32_t time_in_force, any_price_callback callback, void *context);
bool any_price_market(any_price_book *book, uint64_t id, uint32_t side, uint32_t quantity,
                      any_price_callback callback, void *context);
bool any_price_cancel(any_price_book *book, uint64_t id, any_price_callback callback, void *context);
/* A smaller quantity at the same price keeps the place in the queue; all else loses it. */
bool any_price_replace(any_price_book *book, uint64_t id, int64_t price, uint32_t quantity,
                       any_price_callback callback, void *context);

/* The best price of a side into *price; false when nobody is there. */
bool any_price_best(const any_price_book *book, uint32_t side, int64_t *price);
uint64_t any_price_quantity_at(const any_price_book *book, uint32_t side, int64_t price);

#ifdef __cplusplus
}
#endif

#endif
