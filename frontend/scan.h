/* What scan.c makes relations of: the elements of each column in the order of a
 * scan (scan_rows.c). */
#ifndef FRONTEND_SCAN_H
#define FRONTEND_SCAN_H

#include "base/err.h"
#include "base/types.h"

struct fe_set;

struct fe_scanned {
  const struct fe_set *set, *columns; /* columns: all of them, or the box */
  struct fe_set *base;                /* fe_scan_base of these */
  int order, low, high;               /* as in struct fe_scan */
};

/* Row b: at[start[b] .. start[b + 1]). */
struct fe_scan_list {
  int64_t *start; /* [n + 1] */
  idx_l *at;
  idx_l n;                   /* columns */
  int32_t longest, shortest; /* at least 1, at most FE_ARITY_MAX */
};

/* What there is a column over each element of; of a box made once. ERR_MPI */
status fe_scan_base(const char *api, const struct fe_set *columns,
                    struct fe_set **out);
/* This rank's declared part; start and at are the caller's to free. */
void fe_scan_list(const struct fe_scanned *s, struct fe_scan_list *out);

#endif
