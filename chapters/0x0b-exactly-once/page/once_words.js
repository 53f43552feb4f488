// What this chapter's part of the page says, in both languages.

export const WORDS = {
    'sent-again': ['Sent again.', '已重发。'],
    'r-sending-again': ['No answer yet. The same request is sent again until one comes; it is carried out once.', '还没有收到答复。同一个请求会一直重发，直到收到答复；它只执行一次。'],
    'r-number-too-old': ['It was not carried out now. Whether it was carried out before is no longer known: check your orders.', '这次没有执行。以前执行过没有，已经查不到了：请看你的挂单。'],
    'r-number-reused': ['Another request had the same number. Nothing was done; try again.', '另一个请求用了同一个编号，什么都没有做。请再试一次。'],
    'r-number-done': ['It was carried out, and its answer is no longer kept: check your orders and trades.', '它已经执行过，答复不再保留：请看你的挂单和成交。'],
};
