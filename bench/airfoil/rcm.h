/* Numbering an Airfoil mesh by reverse Cuthill-McKee, as a user would do by hand
 * before giving it to OP2: what the library's own numbering is compared with. */
#ifndef BENCH_AIRFOIL_RCM_H
#define BENCH_AIRFOIL_RCM_H

#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Cells by their neighbours over edges; edges and boundary edges by their lowest
 * cell, nodes as the cells meet them. */
void mesh_rcm(struct mesh *m);

#ifdef __cplusplus
}
#endif
#endif
