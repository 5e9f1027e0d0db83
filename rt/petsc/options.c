/* Options of one call: its own text, and under a prefix PETSc's database.
 *
 *   op2_solve(..., "petsc prefix=heat_ -ksp_type cg")
 *   PETSC_OPTIONS="-heat_ksp_type gmres -heat_pc_type ilu -pc_type none"
 *
 * gives "-ksp_type gmres -pc_type ilu": the text has the defaults, and what
 * whoever runs the program says under that prefix goes over them. The database
 * tells all it has as one text, in which an option begins with "-" and a
 * letter. */
#include "rt/petsc/petsc.h"

#include <ctype.h>
#include <string.h>

static bool
begins(const char *at) {
  return at[0] == '-' && isalpha((unsigned char)at[1]);
}

/* "-heat_ksp_type cg", whose first n letters behind "-" are the prefix. As
 * text: PETSc keeps quiet about values set by calls that nobody has read. */
static PetscErrorCode
take(PetscOptions own, char *option, size_t n) {
  option[n] = '-';
  return PetscOptionsInsertString(own, option + n);
}

/* All of the text that has the prefix; the text is cut into its options. */
static PetscErrorCode
take_all(PetscOptions own, char *text, const char *prefix, size_t n) {
  for (char *at = text, *next; *at; at = next) {
    next = at + 1;
    while (*next && !(next[-1] == ' ' && begins(next))) next++;
    char *end = next;
    while (end[-1] == ' ' && end > at + 1) end--;
    if (end < next) *end = 0;
    if (!begins(at) || strncmp(at + 1, prefix, n)) continue;
    if (!isalpha((unsigned char)at[n + 1])) continue;
    PetscCall(take(own, at, n));
  }
  return 0;
}

PetscErrorCode
pets_options(PetscOptions own, const char *text) {
  static const char word[] = "prefix=";
  size_t n = 0;
  char *all;
  text += strspn(text, " \t\n");
  const char *prefix = text + sizeof word - 1;
  bool named = !strncmp(text, word, sizeof word - 1);
  if (named) {
    n = strcspn(prefix, " \t\n");
    text = prefix + n;
    if (!n)
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
              "prefix=: expected how options begin, found nothing");
  }
  PetscCall(PetscOptionsInsertString(own, text));
  if (!n) return 0;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  PetscErrorCode code = take_all(own, all, prefix, n);
  PetscCall(PetscFree(all));
  return code;
}
