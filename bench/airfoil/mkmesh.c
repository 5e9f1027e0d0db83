/* mkmesh I J [file] [seed]: write the NACA0012 mesh as text (new_grid.dat). */
#include "mesh.h"

#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv) {
  struct mesh m;
  int ni = argc > 2 ? atoi(argv[1]) : 0, nj = argc > 2 ? atoi(argv[2]) : 0;
  if (ni < 1 || nj < 1 || argc > 5) {
    fprintf(stderr, "usage: mkmesh I J [file [seed of a random order]]\n");
    return 2;
  }
  mesh_make(&m, ni, nj);
  if (argc > 4) mesh_shuffle(&m, (unsigned)strtoul(argv[4], NULL, 10));
  bool good = mesh_write(&m, argc > 3 ? argv[3] : "new_grid.dat");
  mesh_clear(&m);
  return good ? 0 : 1;
}
