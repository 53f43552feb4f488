// The book in C++, as a harness of your own calls it.
#include "any_price.h"

#include <iostream>
#include <vector>

int main() {
    // ANCHOR: harness
    any_price_book *book = any_price_create();
    std::vector<any_price_command> commands(2);
    commands[0] = {1, 7, -50, 10, 0, ANY_PRICE_LIMIT, ANY_PRICE_ASK, ANY_PRICE_GTC};
    commands[1] = {2, 8, -49, 4, 0, ANY_PRICE_LIMIT, ANY_PRICE_BID, ANY_PRICE_IOC};
    std::vector<any_price_event> events(8);
    std::size_t written = 0;
    any_price_batch(book, commands.data(), commands.size(), events.data(), events.size(), &written);
    for (std::size_t i = 0; i < written; i++) {
        const any_price_event &event = events[i];
        std::cout << event.number << ' ' << int(event.kind) << ' ' << event.id << ' ' << event.taker << ' '
                  << int(event.side) << ' ' << event.price << ' ' << event.quantity << ' ' << event.left << '\n';
    }
    any_price_destroy(book);
    // ANCHOR_END: harness
}
