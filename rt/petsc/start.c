/* The life of PETSc, and its errors.
 *
 * MPI is begun here where nobody has, and ended when the process ends, as
 * rt/mpi/comm_mpi.c does: PETSc that has begun MPI would end it with itself,
 * and neither could be had again after the next op_init. PETSc's signal
 * handlers are left out: they would stand before those of the program.
 *
 * The program may have started PETSc, or ended it before op_exit: what goes
 * then is its own business, and nothing of PETSc is called any more. */
#include "rt/petsc/petsc.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  MPI_Comm comm;
  bool up, ours; /* PETSc is for us; and began with us */
  char words[512];
} petsc;

MPI_Comm
pets_comm(void) {
  return petsc.comm;
}

/* ---- errors -------------------------------------------------------------- */

static PetscErrorCode
note(MPI_Comm comm, int line, const char *function, const char *file,
     PetscErrorCode code, PetscErrorType type, const char *text, void *user) {
  (void)comm, (void)line, (void)function, (void)file, (void)user;
  if (type == PETSC_ERROR_INITIAL && text)
    snprintf(petsc.words, sizeof petsc.words, "%s", text);
  return code;
}

void
pets_enter(void) {
  petsc.words[0] = 0;
  (void)PetscPushErrorHandler(note, NULL);
}

status
pets_leave(PetscErrorCode code, const char *tried, const char *name) {
  const char *general = NULL;
  if (code) (void)PetscErrorMessage(code, &general, NULL);
  (void)PetscPopErrorHandler();
  if (!code) return OK;
  FAIL(ERR_STATE, "%s%s%s: PETSc: %s%s%s", tried, *name ? " " : "", name,
       general ? general : "failed", *petsc.words ? ": " : "", petsc.words);
}

/* ---- start and end ------------------------------------------------------- */

static void
end_mpi(void) {
  int ended = 0;
  MPI_Finalized(&ended);
  if (!ended) MPI_Finalize();
}

static status
start_mpi(void) {
  int up = 0, ended = 0, level;
  MPI_Initialized(&up);
  MPI_Finalized(&ended);
  if (ended) FAIL(ERR_MPI, "PETSc: expected MPI to run, found it ended");
  if (up) return OK;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level))
    FAIL(ERR_MPI, "PETSc: MPI_Init_thread failed");
  atexit(end_mpi);
  return OK;
}

static PetscErrorCode
begin(void) {
  PetscCall(PetscOptionsSetValue(NULL, "-no_signal_handler", "1"));
  PETSC_COMM_WORLD = petsc.comm;
  PetscCall(PetscInitializeNoArguments());
  petsc.ours = true;
  return 0;
}

/* PetscInitialize sets errors back to the default: they are caught from then on
 * only. */
static status
start(const void *communicator) {
  PetscBool up = PETSC_FALSE, ended = PETSC_FALSE;
  if (petsc.up) return OK;
  TRY(start_mpi());
  (void)PetscInitialized(&up);
  (void)PetscFinalized(&ended);
  petsc.comm = communicator ? *(const MPI_Comm *)communicator : MPI_COMM_SELF;
  if (!up && begin())
    FAIL(ERR_STATE, "PETSc could not be started%s",
         ended ? ": it was ended before" : "");
  petsc.up = true;
  return OK;
}

/* Is it there still? */
static bool
runs(void) {
  PetscBool up = PETSC_FALSE, ended = PETSC_FALSE;
  int mpi_ended = 0;
  MPI_Finalized(&mpi_ended);
  (void)PetscInitialized(&up);
  (void)PetscFinalized(&ended);
  return up && !ended && !mpi_ended;
}

static void
stop(void) {
  if (petsc.up && petsc.ours && runs()) (void)PetscFinalize();
  petsc.up = petsc.ours = false;
}

static void *
handle(const struct rt_petsc_mat *m) {
  return m->mat;
}

static void
drop(struct rt_petsc_mat *m) {
  if (!m) return;
  if (!runs()) m->mat = NULL;
  pets_free(m);
}

extern const struct rt_petsc op2_rt_petsc;
const struct rt_petsc op2_rt_petsc = {
    .version = OP2_VERSION,
    .mpi = OP2_MPI_NAME,
    .error = err_last,
    .start = start,
    .stop = stop,
    .fill = pets_fill,
    .handle = handle,
    .free = drop,
    .solve = pets_solve,
};
