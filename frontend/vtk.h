/* Series of pictures in the making: what the files of op2_write_vtk hold so
 * far. api_vtk.c checks and begins them, vtk_file.c writes the values, xdmf.c
 * the text beside them. */
#ifndef FRONTEND_VTK_H
#define FRONTEND_VTK_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/types.h"

#define OP2_NO_MACROS 1
#include "op2.h"

struct fe_dat;
struct fe_map;

/* A kind of cell: VTK's number, its nodes, its dimension, XDMF's word. */
struct vtk_cell {
  int number;
  int nodes, dim;
  const char *name, *xdmf;
};

/* A dat of each picture. */
struct vtk_field {
  char *name; /* as in the files: no "/" */
  int dim;
  struct type type;
  bool on_nodes;
};

struct vtk_series {
  char *path, *text_path; /* HDF5; XDMF */
  const struct vtk_cell *cell;
  idx_g npoints, ncells;
  struct type point_type;
  VEC(struct vtk_field, fields);
  idx_g steps;        /* that are whole in the file */
  double time;        /* of the last */
  idx_g blocks;       /* of coordinates: one, and one for each that moved */
  uint64_t points_at; /* a hash of those of this rank in the last block */
  struct str grids;   /* of XDMF: a grid for each step */
};

/* One call: a step of the series. */
struct vtk_step {
  struct vtk_series *s;
  double time;
  const struct fe_map *map;
  const struct fe_dat *coordinates;
  const op_dat *dats; /* of s->fields */
};

/* ---- vtk_file.c ---------------------------------------------------------- */

/* The step's values go to the HDF5 file, which the first step makes; mirrors
 * are current. s->blocks and s->points_at follow. Collective. */
status fe_vtk_write(const struct vtk_step *p);
/* The data set of a field's values, of all steps. */
void fe_vtk_field(const struct vtk_field *f, struct str *out);
/* What XDMF reads: the data set that shows a block of coordinates; the values
 * of step `step`, of component k alone (-1: all). */
void fe_vtk_shown_points(idx_g block, struct str *out);
void fe_vtk_shown_field(const struct vtk_field *f, idx_g step, int k,
                        struct str *out);
/* Arrays of a field in XDMF: one, or one for each component where readers take
 * no more. */
int fe_vtk_parts(const struct vtk_field *f);

/* ---- xdmf.c -------------------------------------------------------------- */

/* The step, which is in the HDF5 file, goes to the text; then all of it to
 * disk. */
status fe_xdmf_write(const struct vtk_step *p);

#endif
