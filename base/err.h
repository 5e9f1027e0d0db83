/* Errors: a status code travels up, its message lies in a thread-local buffer.
 *
 * A function that can fail returns `status` and delivers through `_out`
 * parameters. TRY(f(x)) returns early with f's status; FAIL(code, fmt, ...)
 * sets the message and returns. Three classes:
 *   USER  found at the call of the API           -> FAIL(ERR_ARG, ...)
 *   ENV   memory, compiler, files                -> FAIL(ERR_MEMORY, ...) ...
 *   BUG   a broken assumption of this library    -> assert()
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

typedef enum status {
  OK = 0,
#define ERR(name, value, text) ERR_##name = value,
#include "base/err.def"
#undef ERR
} status;

/* Set this thread's last message; returns `code`, so that `return err_set(...)`
 * reads well. The message may quote the former one. */
status err_set(status code, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Put "<prefix>" before the last message: callers add where it happened. */
status err_prefix(status code, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* This thread's last message, "" if there was none; never NULL. */
const char *err_last(void);

/* `code` is returned as it stands, so that the compiler sees that it is not OK.
 * */
#define FAIL(code, ...) return (void)err_set((code), __VA_ARGS__), (code)
#define TRY(call)                                                              \
  do {                                                                         \
    status try_status_ = (call);                                               \
    if (try_status_ != OK) return try_status_;                                 \
  } while (0)

#endif
