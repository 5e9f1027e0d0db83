/* Every function and variable of facts.def is in the library. Linking is the test;
 * the main program only keeps the addresses. */
#define OP2_NO_MACROS
#define OP_MPI_CORE_NOMPI
#include "op_mpi_core.h"
#include "op_profile.h"
#include "op_seq.h"

typedef void function(void);

#define STRUCT(name, FIELDS)
#define NUMBER(macro, value)
#define VAR(type, name)
#define FN(result, name, parameters) (function *)name,
#define FN_AT FN
static function *const functions[] = {
#include "facts.def"
    (function *)op2_here,
    (function *)op2_par_loop_at,
    (function *)op2_par_loop_typed_at,
    (function *)op2_par_loop_scan_at,
    (function *)op2_par_loop_levels_at,
    (function *)op2_decl_dat_at,
    (function *)op2_decl_dat_temp_at,
    (function *)op2_decl_const_at,
    (function *)op2_arg_gbl_at,
    (function *)op2_arg_info_at,
    (function *)op2_fetch_at,
    (function *)op2_fetch_idx_at};
#undef VAR
#undef FN
#define VAR(type, name) &name,
#define FN(result, name, parameters)
static const void *const variables[] = {
#include "facts.def"
};

int
main(void) {
  int missing = 0;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    missing += !functions[i];
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    missing += !variables[i];
  return missing;
}
