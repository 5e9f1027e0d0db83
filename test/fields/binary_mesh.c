/* A Gmsh file as Gmsh writes it in binary: binary_mesh IN VERSION OUT */
#include <gmshc.h>
#include <stdlib.h>

int
main(int argc, char **argv) {
  int ierr = 0;
  if (argc < 4) return 2;
  gmshInitialize(0, NULL, 0, &ierr);
  gmshOptionSetNumber("General.Terminal", 0, &ierr);
  gmshOpen(argv[1], &ierr);
  if (ierr) return 1;
  gmshOptionSetNumber("Mesh.Binary", 1, &ierr);
  gmshOptionSetNumber("Mesh.MshFileVersion", atof(argv[2]), &ierr);
  gmshWrite(argv[3], &ierr);
  return ierr != 0;
}
