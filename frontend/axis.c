/* The axes that there are. See api_axes.c. */
#include "frontend/axis.h"
#include "frontend/context.h"

#include <assert.h>
#include <stdlib.h>

static struct fe_axis *axes; /* those that are not freed */

const struct fe_axis *
fe_axis_of(const struct fe_set *box) {
  const struct fe_axis *x = axes;
  while (x && x->set != box) x = x->next;
  return x;
}

struct fe_axis *
fe_axis_new(struct fe_set *box, int nsplitters, int limit) {
  struct fe_axis *x = mem_alloc(1, sizeof *x);
  *x = (struct fe_axis){
      .set = box, .nsplitters = nsplitters, .limit = limit, .next = axes};
  axes = x;
  fe_handle_add(x, FE_AXIS);
  return x;
}

static void
axis_clear(struct fe_axis *x) {
  free(x->at);
  free(x->used);
  free(x->layers);
  free(x);
}

void
fe_axis_end(struct fe_axis *x) {
  struct fe_axis **at = &axes;
  assert(!x->nlayers);
  while (*at != x) at = &(*at)->next;
  *at = x->next;
  fe_handle_free(x);
  axis_clear(x);
}

void
fe_axes_clear(void) {
  for (struct fe_axis *next; axes; axes = next) {
    next = axes->next;
    axis_clear(axes);
  }
}
