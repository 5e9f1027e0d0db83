/* What the files of the store share. */
#ifndef RT_STORE_IMPL_H
#define RT_STORE_IMPL_H

#include "rt/store/store.h"

/* A buffer over memory that somebody else owns: AoS, one reference. */
struct rt_buf *rt_buf_foreign(struct rt_shape shape, void *mem, size_t bytes);
/* rows[e - lo][c] = src[at(e, c)], e in [lo, hi): rt_layout_copy to AoS rows
 * that start with element lo. */
void rt_layout_rows(void *rows, const void *src, size_t src_block, idx_l lo,
                    idx_l hi, uint32_t dim, uint32_t size);
/* Elements of a buffer of this shape in order `o` (NULL: the program's) become
 * those of `rows`, the program's; and back, over ranks the owned ones alone. */
void rt_order_take(const struct rt_order *o, void *buf, size_t stride,
                   const void *rows, size_t rows_stride,
                   const struct rt_shape *s);
void rt_order_give(const struct rt_order *o, void *rows, size_t rows_stride,
                   const void *buf, size_t stride, const struct rt_shape *s);

#endif
