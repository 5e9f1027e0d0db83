/* A program that calls MPI itself behind op_init, with a launcher or without, and may
 * leave MPI's end to op_exit.
 *   own_mpi          op_init starts MPI
 *   own_mpi started  the program does, and never ends it
 *   own_mpi halves   op_mpi_init on a communicator of its own */
#include "op_lib_mpi.h"

#include "../../programs/check.h"

static void
sum(const double *x, double *s) {
  *s += *x;
}

int
main(int argc, char **argv) {
  double one = 1, s = 0;
  int rank = -1, size = -1, ours = -1, theirs = -1;
  MPI_Comm half = MPI_COMM_WORLD;
  if (argc > 1) MPI_Init(&argc, &argv);
  if (argc > 1) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && !strcmp(argv[1], "halves")) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    op_mpi_init(argc, argv, 2, MPI_COMM_WORLD, half);
  } else {
    op_init(argc, argv, 2);
  }
  MPI_Comm_size(half, &size);
  MPI_Comm_compare(OP_MPI_WORLD, half, &ours);
  MPI_Comm_compare(OP_MPI_GLOBAL, MPI_COMM_WORLD, &theirs);
  CHECK(ours == MPI_IDENT && theirs == MPI_IDENT);
  op_set set = op_decl_set(1, "s");
  op_dat x = op_decl_dat(set, 1, "double", &one, "x");
  op_par_loop(sum, "sum", set, op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&s, 1, "double", OP_INC));
  CHECK_REAL(s, size);
  return check_end();
}
