/* The checks of facts.def, in C11 and C++11: layout and type of each field, type of
 * each function and variable, value of each macro. Compiling is the test. */
#define OP_MPI_CORE_NOMPI
#include "op_mpi_core.h"
#include "op_profile.h"
#include "op_seq.h"

#ifdef __cplusplus
#include <type_traits>
#define CHECK(condition, text) static_assert(condition, text)
#define HAS_TYPE(type, object) std::is_same<type *, decltype(&(object))>::value
/* The wrapper that notes the place shares the name; the C function is meant. */
#define PLAIN(name) op2_plain::name
#else
#define CHECK(condition, text) _Static_assert(condition, text)
#define HAS_TYPE(type, object)                                                 \
  _Generic(&(object), __typeof__(type) *: 1, default: 0)
#define PLAIN(name) name
#endif

#define DECLARE(type, field) type field;
#define LAYOUT(type, field)                                                    \
  CHECK(offsetof(subject, field) == offsetof(wanted, field),                   \
        "offset of " #field);                                                  \
  CHECK(HAS_TYPE(type, ((subject *)0)->field), "type of " #field);

#define STRUCT(name, FIELDS)                                                   \
  static inline void check_##name(void) {                                      \
    typedef name subject;                                                      \
    typedef struct {                                                           \
      FIELDS(DECLARE)                                                          \
    } wanted;                                                                  \
    CHECK(sizeof(subject) == sizeof(wanted), "size of " #name);                \
    FIELDS(LAYOUT)                                                             \
  }
/* Parentheses keep the C macros of these names out. */
#ifdef __cplusplus
#define FN(result, name, parameters)                                           \
  CHECK((std::is_same<result parameters, decltype(name)>::value),              \
        "type of " #name);
#define FN_AT(result, name, parameters) FN(result, PLAIN(name), parameters)
#else
#define FN(result, name, parameters)                                           \
  CHECK(_Generic((name), result(*) parameters: 1, default: 0),                 \
        "type of " #name);
#define FN_AT FN
#endif
#define VAR(type, name) CHECK((HAS_TYPE(type, name)), "type of " #name);
#define NUMBER(macro, value) CHECK((macro) == (value), "value of " #macro);

#include "facts.def"

CHECK((HAS_TYPE(op_set_core, *(op_set)0)), "op_set");
CHECK((HAS_TYPE(op_map_core, *(op_map)0)), "op_map");
CHECK((HAS_TYPE(op_dat_core, *(op_dat)0)), "op_dat");
CHECK((HAS_TYPE(int, *(idx_l_t *)0)), "idx_l_t");
CHECK((HAS_TYPE(long long, *(idx_g_t *)0)), "idx_g_t");
CHECK((HAS_TYPE(int, *(op_access *)0)), "op_access");
CHECK((HAS_TYPE(int, *(op_arg_type *)0)), "op_arg_type");
CHECK((HAS_TYPE(unsigned int, *(uint *)0)), "uint");
CHECK((HAS_TYPE(long long, *(ll *)0)), "ll");
CHECK((HAS_TYPE(unsigned long long, *(ull *)0)), "ull");
CHECK((HAS_TYPE(op_dat, ((op_dat_entry *)0)->dat)), "op_dat_entry");
CHECK((HAS_TYPE(void *, ((op_dat_entry *)0)->orig_ptr)), "op_dat_entry");
