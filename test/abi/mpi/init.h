/* op_mpi_init with communicators of both kinds. Compiling is the test. */
#include "op_lib_mpi.h"

#include "op_seq.h"

#if MPI_ROOT != 0
#error "OP2 programs compare ranks with MPI_ROOT"
#endif

static inline void
start(int argc, char **argv) {
  MPI_Fint number = 0;
  op_mpi_init(argc, argv, 1, MPI_COMM_WORLD, OP_MPI_WORLD);
  op_mpi_init(argc, argv, 1, number, number);
  op_mpi_init_soa(argc, argv, 1, OP_MPI_GLOBAL, MPI_COMM_WORLD, 1);
}
