/* Telling debuggers and profilers of code in memory: see debugger.c. */
#ifndef LOWER_DEBUGGER_H
#define LOWER_DEBUGGER_H

#include <stddef.h>

/* Code that a debugger was told of. */
struct low_told;

/* The relocatable file `object` [n, well formed] is in memory: section k at
 * base + at[k], SIZE_MAX: it is not. `name` is the region's. Threads may call
 * these at once. */
struct low_told *low_debugger_tell(const char *object, size_t n,
                                   const char *base, const size_t *at,
                                   const char *name);
/* Before the memory goes. */
void low_debugger_forget(struct low_told *t);
/* What LLVM has just told is told through this library as well: its variable
 * is ours where ours comes first. */
void low_debugger_again(void);

#endif
