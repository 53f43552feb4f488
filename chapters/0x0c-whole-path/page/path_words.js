// What the operator's page of the whole path says, in both languages.

export const WORDS = {
    'path-title': ['The whole path', '完整路径'],
    'path-what': ['Where the time of requests goes, over the sampled ones since the start.', '请求的时间花在哪里，按启动以来的抽样计算。'],
    'path-none': ['No request has been sampled yet.', '还没有抽到请求。'],
    'path-stage': ['stage', '阶段'],
    'path-mean': ['mean', '平均'],
    'path-bar': ['p50 dark, p99 light', '深色 p50，浅色 p99'],
    'path-whole': ['whole', '整体'],
    'path-sync': ['sync of the log', '日志落盘'],
    'path-notice': ['disk to notice', '落盘到通知'],
    'path-slowest': ['The slowest of the last minute', '最近一分钟最慢的'],
    'path-no-slow': ['No request took longer than the bound.', '没有请求超过界限。'],
    'path-one': ['Command {sequence}: {ms} ms, most of it in {stage}.', '命令 {sequence}：{ms} ms，大部分在 {stage}。'],
    'path-falls': ['Stages of command {sequence}, from left to right: {stages}.', '命令 {sequence} 的各阶段，从左到右：{stages}。'],
    'path-key': ["The operator's key", '运营者的密钥'],
    'path-use': ['Show', '查看'],
};
