// What this chapter's part of the page says, in both languages.

export const WORDS = {
    past: ['Which time the chart shows', '图表显示的时间'],
    'past-live': ['live', '实时'],
    'past-hour': ['hour', '小时'],
    'past-day': ['day', '一天'],
    'past-all': ['all', '全部'],
    'r-no-history': ['This venue keeps no history.', '这家交易所不保存历史。'],
    'r-damaged-history': ['The history can’t be read. Nothing is lost: the operator can make it again.', '历史数据无法读取。什么都没有丢：运营者可以重新生成。'],
};
