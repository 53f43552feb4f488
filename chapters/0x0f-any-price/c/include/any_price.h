/* A book for any price: prices in signed 64-bit ticks, orders with any 64-bit number as id, quantities in lots.
 *
 * Build the library: cargo build --release -p any-price-c
 * The result is target/release/libany_price_c.so (.dylib, any_price_c.dll). example.c uses every function.
 *
 * A book belongs to one thread at a time. A callback must not use the book that calls it. An event is only valid
 * until the callback returns. Functions that return bool return false if the book is NULL or a side or a time in force
 * is none of those below; then there is no event. Everything else results in events. */
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
    ANY_PRICE_FILLED = 1,    /* id was resting, taker came in; price and quantity of the trade */
    ANY_PRICE_RESTED = 2,    /* id rests at price with quantity */
    ANY_PRICE_REDUCED = 3,   /* id has quantity left and keeps its place */
    ANY_PRICE_CANCELLED = 4, /* id is removed with quantity; reason 1 requested, 2 replaced, 3 must not rest,
                                4 other side empty */
    ANY_PRICE_REJECTED = 5   /* nothing changed; reason 1 zero quantity, 2 id in use, 3 unknown id, 4 would cross,
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
/* A smaller quantity at the same price keeps the place in the queue; anything else loses it. */
bool any_price_replace(any_price_book *book, uint64_t id, int64_t price, uint32_t quantity,
                       any_price_callback callback, void *context);

/* The best price of a side into *price; false if the side is empty. */
bool any_price_best(const any_price_book *book, uint32_t side, int64_t *price);
uint64_t any_price_quantity_at(const any_price_book *book, uint32_t side, int64_t price);

#ifdef __cplusplus
}
#endif

#endif
