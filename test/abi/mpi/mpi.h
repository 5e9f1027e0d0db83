/* The few names of MPI that op_mpi_core.h mentions, for building without MPI. As in
 * some MPIs a communicator is a pointer here, so it differs from MPI_Fint. */
#define OPEN_MPI 1 /* as Open MPI says */
#ifndef MPI_H
#define MPI_H

#ifdef __cplusplus
extern "C" {
#endif
typedef struct mpi_comm *MPI_Comm;
typedef int MPI_Fint;
#define MPI_COMM_WORLD ((MPI_Comm)0)
int MPI_Initialized(int *flag);
int MPI_Init(int *argc, char ***argv);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Abort(MPI_Comm comm, int code);
MPI_Comm MPI_Comm_f2c(MPI_Fint comm);
#ifdef __cplusplus
}
#endif

#endif
