/* All that is declared, freed at op_exit. */
#include "frontend/axis.h"
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include <stdlib.h>

struct fe_all fe_all;

void
fe_handles_clear(void) {
  for (uint32_t i = 0; i < fe_all.ndats; i++) fe_slot_clear(fe_all.dats[i]);
  for (uint32_t i = 0; i < fe_all.nmap_tags; i++)
    if (fe_all.map_tags[i]) fe_map_free(fe_all.map_tags[i]);
  for (uint32_t i = 0; i < fe_all.nset_tags; i++)
    if (fe_all.set_tags[i]) fe_set_free(fe_all.set_tags[i]);
  for (uint32_t i = 0; i < fe_all.ngbls; i++) {
    free(fe_all.gbls[i]->name);
    free(fe_all.gbls[i]->data);
    rt_cell_clear(&fe_all.gbls[i]->cell);
    free(fe_all.gbls[i]->lost);
    free(fe_all.gbls[i]);
  }
  free(fe_all.dats);
  for (uint32_t i = 0; i < fe_all.nended; i++) fe_map_free(fe_all.ended[i]);
  free(fe_all.ended);
  free(fe_all.maps);
  free(fe_all.set_tags);
  free(fe_all.map_tags);
  free(fe_all.free_set_tags);
  free(fe_all.free_map_tags);
  free(fe_all.gone_maps);
  free(fe_all.gone_sets);
  free(fe_all.inverted);
  free(fe_all.sets);
  free(fe_all.gbls);
  free(fe_all.aged);
  free(fe_all.aged_gbls);
  fe_all = (struct fe_all){.born = fe_all.born};
  fe_axes_clear();
  fe_boxes_clear();
  fe_handles_forget();
  fe_ranks_close();
}

void
fe_box_whole(struct fe_dat *d) {
  d->made = ((const struct fe_set *)d->pub.set)->halo;
  free(d->short_of);
  d->short_of = NULL;
}
