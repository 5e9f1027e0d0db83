/* All that is declared, freed at op_exit. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include <stdlib.h>

struct fe_all fe_all;

void
fe_handles_clear(void) {
  for (uint32_t i = 0; i < fe_all.ndats; i++) fe_slot_clear(fe_all.dats[i]);
  for (uint32_t i = 0; i < fe_all.nmaps; i++) fe_map_free(fe_all.maps[i]);
  for (uint32_t i = 0; i < fe_all.nsets; i++) fe_set_free(fe_all.sets[i]);
  for (uint32_t i = 0; i < fe_all.ngbls; i++) {
    free(fe_all.gbls[i]->name);
    free(fe_all.gbls[i]->data);
    rt_cell_clear(&fe_all.gbls[i]->cell);
    free(fe_all.gbls[i]->lost);
    free(fe_all.gbls[i]);
  }
  free(fe_all.dats);
  free(fe_all.maps);
  free(fe_all.inverted);
  free(fe_all.sets);
  free(fe_all.gbls);
  fe_all = (struct fe_all){0};
  fe_handles_forget();
  fe_ranks_close();
}
