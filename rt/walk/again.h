/* Elements that run again, for some of what they write: again.c. */
#ifndef RT_AGAIN_H
#define RT_AGAIN_H

#include "rt/plan.h"

struct rt_buf;
struct rt_again;

/* Elements again[0 .. n) of the launch, which will run again behind others[0 ..
 * nothers), for what both write. GIVE, with room for what that takes. cost
 * O(entries of both + rows between the first and the last one). ERR_MEMORY */
status rt_again_make(const struct rt_program *p, const struct rt_launch *l,
                     const idx_l *again, idx_l n, const idx_l *others,
                     idx_l nothers, struct rt_again **out);
void rt_again_free(struct rt_again *a); /* TAKE; NULL is allowed */

/* Before they run for the first time; before they, and the others, run for the
 * last time; and behind that. l: that launch, or one that writes alike
 * (rt_again_fits), of which none is between save and end. bufs by slot. cost
 * O(bytes that they write) */
void rt_again_save(struct rt_again *a, const struct rt_launch *l,
                   struct rt_buf **bufs);
void rt_again_begin(struct rt_again *a, const struct rt_launch *l,
                    struct rt_buf **bufs);
void rt_again_end(struct rt_again *a, const struct rt_launch *l,
                  struct rt_buf **bufs);
/* Do both write rows of the same size through the same entries? */
bool rt_again_fits(const struct rt_program *p, const struct rt_launch *l,
                   const struct rt_launch *other);

#endif
