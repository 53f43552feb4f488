// What this chapter's part of the page says, in both languages.

export const WORDS = {
    past: ['Which time the chart shows', '图表显示的时间'],
    'past-live': ['live', '实时'],
    'past-hour': ['hour', '小时'],
    'past-day': ['day', '一天'],
    'past-all': ['all', '全部'],
    profit: ['Profit and loss', '盈亏'],
    'profit-paid': ['paid for shares', '买入付出'],
    'profit-received': ['received for shares', '卖出收到'],
    'profit-payout': ['payouts', '兑付'],
    'profit-value': ['shares left, at the last price', '剩余份额，按最近成交价'],
    'profit-profit': ['in this market', '这个市场'],
    'profit-all': ['in all markets', '全部市场'],
    'profit-missing': ['Older trades are missing: the log was trimmed before they were counted.', '缺少更早的成交：计入之前，日志已经修剪掉了。'],
    'r-no-history': ['This venue keeps no history, or has stopped following the log.', '这家交易所不保存历史，或者已经停止跟随日志。'],
    'r-damaged-history': ['The history can’t be read. The operator can make it again from the log.', '历史数据无法读取。管理员可以从日志重新生成。'],
};
