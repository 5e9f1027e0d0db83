/* Log lines on stderr, "op2lazy: ...". Level as OP2_LOG: 0 errors only,
 * 1 warnings and slow work (default), 2 information, 3 details. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

extern int log_level;

void log_at(int level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
#define LOG_WARN(...) log_at(1, __VA_ARGS__)
#define LOG_INFO(...) log_at(2, __VA_ARGS__)
#define LOG_DEBUG(...) log_at(3, __VA_ARGS__)

/* Seconds of the monotonic clock, and of this process's CPU time. */
double timer_wall(void);
double timer_cpu(void);

#endif
