/* op2-mesh: a Gmsh mesh becomes the sets, maps and dats of an OP2 program:
 *
 *   op2-mesh [--normals] in.msh out.h5
 *
 * Reads what Gmsh writes, text and binary, of versions 2 and 4; writes HDF5 as
 * op_decl_set_hdf5, op_decl_map_hdf5 and op_decl_dat_hdf5 read it, and prints
 * what is in it. doc/io.md tells the names. Exit status 1 for a mesh that is
 * wrong, 2 for a wrong command line. */
#include "tools/mesh/mesh.h"

#define OP2_NO_MACROS 1
#include "op2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct command {
  const char *in, *out;
  bool normals, help;
};

static const char help[] =
    "usage: op2-mesh [--normals] in.msh out.h5\n"
    "\n"
    "Reads a Gmsh mesh (versions 2 and 4, text or binary) and writes sets, "
    "maps\n"
    "and dats to an HDF5 file, for op_decl_set_hdf5 and its kin:\n"
    "\n"
    "  sets  nodes, cells, edges (two cells), bedges (at the boundary);\n"
    "        in three dimensions faces, bfaces\n"
    "  maps  cell_nodes, edge_nodes, edge_cells, bedge_nodes, bedge_cells\n"
    "  dats  x (dim 2 where all z are 0, else 3); cell_tag, edge_tag, "
    "bedge_tag:\n"
    "        the physical group, 0 for none\n"
    "\n"
    "Cells are the elements of the highest dimension. Of several shapes each "
    "is a\n"
    "set (triangle_cells) with maps to its nodes (triangle_cell_nodes) and to "
    "the\n"
    "set of all cells (triangle_cell); so are faces.\n"
    "\n"
    "  --normals   cell_area (cell_volume) and edge_normal, bedge_normal: out "
    "of\n"
    "              the first cell, as long as the edge (as large as the face)\n"
    "  --help      this text\n";

static int
usage(void) {
  fputs("usage: op2-mesh [--normals] in.msh out.h5\n", stderr);
  return 2;
}

static bool
read_command(int argc, char **argv, struct command *c) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--normals"))
      c->normals = true;
    else if (!strcmp(argv[i], "--help"))
      c->help = true;
    else if (argv[i][0] == '-' || c->out)
      return false;
    else
      *(c->in ? &c->out : &c->in) = argv[i];
  return c->help || c->out;
}

static status
convert(const struct command *c, struct mesh *m) {
  TRY(mesh_read(c->in, m));
  status st = mesh_sides(m);
  if (st == OK && c->normals) st = mesh_normals(m);
  if (st != OK) return err_prefix(st, "\"%s\": ", c->in);
  printf("%s: from %s\n", c->out, c->in);
  return mesh_write(m, c->out);
}

static void
on_error(int st, const char *message, void *user) {
  (void)st, (void)user;
  fflush(stdout);
  fprintf(stderr, "op2-mesh: %s\n", message);
  exit(1);
}

int
main(int argc, char **argv) {
  struct command c = {0};
  struct mesh m = {0};
  if (!read_command(argc, argv, &c)) return usage();
  if (c.help) return fputs(help, stdout) < 0;
  op2_set_error_handler(on_error, NULL);
  op_init(1, argv, 0);
  status st = convert(&c, &m);
  mesh_clear(&m);
  if (st != OK) fprintf(stderr, "op2-mesh: %s\n", err_last());
  op_exit();
  return st != OK;
}
