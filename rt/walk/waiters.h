/* How OpenMP's threads wait: see waiters.c. */
#ifndef RT_WAITERS_H
#define RT_WAITERS_H

#include <stdbool.h>
#include <stdint.h>

/* Look whether other work wants the processors; `now`: by timer_wall. Returns a
 * number that changes when threads wait in another way from now on. cost a
 * comparison, and once in a while a system call */
uint32_t rt_waiters_look(double now);
/* Have others the processors, if the system takes one away so often in so many
 * seconds? */
bool rt_waiters_crowded(double seconds, long switches);
/* The same as rt_waiters_look, of so many involuntary switches in all. */
uint32_t rt_waiters_judge(double now, long switches);
/* Do they sleep soon, since other work wants the processors? */
bool rt_waiters_nap(void);
/* As at the start. */
void rt_waiters_clear(void);

#endif
