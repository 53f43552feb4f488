/* A book for any price: prices in signed 64-bit ticks, orders with any 64-bit number as id, quantities in lots.
 *
 * Build the library: cargo build --release -p any-price-c
 * The result is target/release/libany_price_c.so (.dylib, any_price_c.dll). example.c uses every function.
 *
 * A book belongs to one thread at a time. A callback must not use the book that calls it. An event that is passed to a
 * callback is only valid until the callback returns. A callback has to return: it must not throw, which ends the process,
 * nor longjmp. A NULL book or array is refused: nothing is done. */
#ifndef ANY_PRICE_H
#define ANY_PRICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct any_price_book any_price_book;

enum { ANY_PRICE_BID = 0, ANY_PRICE_ASK = 1, ANY_PRICE_NO_SIDE = 2 };
enum { ANY_PRICE_GTC = 0, ANY_PRICE_IOC = 1, ANY_PRICE_FOK = 2, ANY_PRICE_POST_ONLY = 3 };

/* any_price_command.kind, and the fields that it uses besides number and id */
enum {
    ANY_PRICE_LIMIT = 1,   /* side, price, quantity, time_in_force */
    ANY_PRICE_MARKET = 2,  /* side, quantity */
    ANY_PRICE_CANCEL = 3,  /* handle */
    ANY_PRICE_REPLACE = 4  /* handle, price, quantity: a smaller quantity at the same price keeps the place in the
                              queue; anything else loses it */
};

/* any_price_event.kind */
enum {
    ANY_PRICE_FILLED = 1,    /* id was resting, taker came in; price and quantity of the trade */
    ANY_PRICE_RESTED = 2,    /* id rests at price with quantity; handle finds it again */
    ANY_PRICE_REDUCED = 3,   /* id has quantity left and keeps its place */
    ANY_PRICE_CANCELLED = 4, /* id is removed with quantity; reason 1 requested, 2 replaced, 3 must not rest,
                                4 other side empty */
    ANY_PRICE_REJECTED = 5   /* nothing changed; reason 1 zero quantity, 2 id in use, 3 unknown id, 4 would cross,
                                5 can't fill, 6 no such kind, side or time in force */
};

typedef struct {
    uint64_t number; /* of your own; it comes back with each event of this command */
    uint64_t id;
    int64_t price;
    uint32_t quantity;
    uint32_t handle; /* 0: find the order by its id. Otherwise it has to be the handle of this id */
    uint8_t kind;
    uint8_t side;
    uint8_t time_in_force;
} any_price_command;

typedef struct {
    uint64_t number; /* the command's */
    uint64_t id;
    uint64_t taker;
    int64_t price;     /* of id; 0 for a market order and an unknown id */
    uint32_t quantity;
    uint32_t left;     /* what is left of id in the book */
    uint32_t handle;
    uint8_t kind;
    uint8_t reason;
    uint8_t side;      /* of id */
} any_price_event;

typedef void (*any_price_callback)(void *context, const any_price_event *event);

any_price_book *any_price_create(void);
void any_price_destroy(any_price_book *book);

/* One command. Events of a batch that found no room come first. If the callback is NULL, the command's events are lost,
 * and those of a batch go on waiting. False if the book or the command is NULL. */
bool any_price_apply(any_price_book *book, const any_price_command *command, any_price_callback callback,
                     void *context);

/* Commands in order, until all are done or the array of events is full. Returns how many are done; *written is how many
 * events there are; the array need not be initialised. Events that found no room come first in the next call, so call
 * again until all commands are done and *written is less than room. With a count of 0, which only takes events that wait,
 * the commands may be NULL. */
size_t any_price_batch(any_price_book *book, const any_price_command *commands, size_t count, any_price_event *events,
                       size_t room, size_t *written);

/* The best price of a side into *price; false if the side is empty. */
bool any_price_best(const any_price_book *book, uint32_t side, int64_t *price);
uint64_t any_price_quantity_at(const any_price_book *book, uint32_t side, int64_t price);

#ifdef __cplusplus
}
#endif

#endif
