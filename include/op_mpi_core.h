/* For OP2 sources that use MPI themselves. Define OP_MPI_CORE_NOMPI to do without
 * <mpi.h>. */
#ifndef OP_MPI_CORE_H
#define OP_MPI_CORE_H

#include "op_lib_core.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Sets get their halos now, not with the first loop. Collective. */
void op_halo_create(void);
void op_halo_permap_create(void);
void op_halo_destroy(void); /* nothing: halos go with op_exit */
void op_mpi_exit(void);     /* op_exit */
#ifdef __cplusplus
}
#endif

/* op_partition with that library. */
static inline void
op_partition_random(op_set prime_set) {
  op_partition("RANDOM", "", prime_set, OP_ID, (op_dat)0);
}
static inline void
op_partition_external(op_set prime_set, op_dat owners) {
  op_partition("EXTERNAL", "", prime_set, OP_ID, owners);
}
static inline void
op_partition_inertial(op_dat coordinates) {
  op_partition("INERTIAL", "", (op_set)0, OP_ID, coordinates);
}
/* Is an exchange of the argument under way? Never. */
static inline int
op_mpi_test(op_arg *arg) {
  (void)arg;
  return 0;
}

#ifndef OP_MPI_CORE_NOMPI
#include <mpi.h>

/* As in OP2: the number of the first rank. */
#undef MPI_ROOT
#define MPI_ROOT 0

#ifdef __cplusplus
extern "C" {
#endif
/* op_init on the ranks of `communicator`, an MPI_Comm of that MPI library. */
void op2_mpi_init_at(int argc, char **argv, int diags, int soa, const char *mpi,
                     const void *communicator);
/* Keep both communicators, of `bytes` each, for OP_MPI_WORLD and OP_MPI_GLOBAL; copy
 * one of them to `out`. 0: none is kept. (local) */
void op2_mpi_keep(const void *world, const void *global, size_t bytes);
int op2_mpi_kept(int global, void *out, size_t bytes);
#ifdef __cplusplus
}
#endif

/* The communicators that op_mpi_init was given; after op_init MPI_COMM_WORLD. To
 * read. */
#define OP_MPI_WORLD op2_mpi_world(0)
#define OP_MPI_GLOBAL op2_mpi_world(1)
static inline MPI_Comm
op2_mpi_world(int global) {
  MPI_Comm c = MPI_COMM_WORLD;
  return op2_mpi_kept(global, &c, sizeof c) ? c : MPI_COMM_WORLD;
}

#if defined(OPEN_MPI)
#define OP2_MPI_NAME "openmpi"
#elif defined(MPICH_VERSION)
#define OP2_MPI_NAME "mpich"
#else
#error "op2lazy knows Open MPI and MPICH"
#endif

static inline void
op2_mpi_init_comm(int argc, char **argv, int diags, MPI_Comm global,
                  MPI_Comm local, int soa) {
  int started = 0;
  MPI_Initialized(&started);
  if (!started) MPI_Init(&argc, &argv);
  op2_mpi_keep(&local, &global, sizeof local);
  op2_mpi_init_at(argc, argv, diags, soa, OP2_MPI_NAME, &local);
}

/* op_mpi_init(argc, argv, diags, global, local), _soa(..., soa): op_init on the
 * ranks of `local`. Each communicator is an MPI_Comm or, as in OP2, an
 * MPI_Fint. */
#ifdef __cplusplus
inline MPI_Comm
op2_mpi_comm(MPI_Comm c, std::true_type) {
  return c;
}
inline MPI_Comm
op2_mpi_comm(MPI_Fint c, std::false_type) {
  return MPI_Comm_f2c(c);
}
template <class G, class L>
void
op_mpi_init_soa(int argc, char **argv, int diags, G global, L local, int soa) {
  op2_mpi_init_comm(argc, argv, diags,
                    op2_mpi_comm(global, std::is_same<G, MPI_Comm>()),
                    op2_mpi_comm(local, std::is_same<L, MPI_Comm>()), soa);
}
template <class G, class L>
void
op_mpi_init(int argc, char **argv, int diags, G global, L local) {
  op_mpi_init_soa(argc, argv, diags, global, local, 0);
}
#else
static inline MPI_Comm
op2_mpi_comm_same(MPI_Comm c) {
  return c;
}
static inline MPI_Comm
op2_mpi_comm_f2c(MPI_Fint c) {
  return MPI_Comm_f2c(c);
}
#define OP2_MPI_COMM(c)                                                        \
  _Generic((c), MPI_Comm: op2_mpi_comm_same, default: op2_mpi_comm_f2c)(c)
#define op_mpi_init_soa(argc, argv, diags, global, local, soa)                 \
  op2_mpi_init_comm((argc), (argv), (diags), OP2_MPI_COMM(global),             \
                    OP2_MPI_COMM(local), (soa))
#define op_mpi_init(argc, argv, diags, global, local)                          \
  op_mpi_init_soa(argc, argv, diags, global, local, 0)
#endif

#endif
#endif
