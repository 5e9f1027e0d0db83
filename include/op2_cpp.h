/* The typed part of the API for C++11 and later: templates over op2.h, which
 * includes this file. Signatures as in op2_c.h. Each notes the place of its
 * call by default arguments, which programs leave alone.
 *
 * A program's own types: any class; its size is sizeof. If there is a
 *   int type_error(const T *, const char *type)      non-zero: not this type
 * (OP_USER_DATATYPES includes the program's "op_user_datatypes.h" for that), it
 * is asked.
 */
#ifndef OP2_CPP_H
#define OP2_CPP_H

#include "op2.h"

#include <cstddef>
#include <type_traits>

#define OP2_AT const char *file = __builtin_FILE(), int line = __builtin_LINE()

/* ---- does the type's name fit the C++ type? 0: yes ----------------------- */

namespace op2_detail {
inline int
name_differs(const char *type, const char *name) {
  size_t n = strlen(name);
  return strncmp(type, name, n) || (type[n] && strcmp(type + n, ":soa"));
}
} /* namespace op2_detail */

#define OP2_TYPE_ERROR(T)                                                      \
  inline int type_error(const T *, const char *type) {                         \
    return op2_detail::name_differs(type, #T);                                 \
  }
OP2_TYPE_ERROR(double)
OP2_TYPE_ERROR(float)
OP2_TYPE_ERROR(int)
OP2_TYPE_ERROR(uint)
OP2_TYPE_ERROR(ll)
OP2_TYPE_ERROR(ull)
OP2_TYPE_ERROR(bool)
#undef OP2_TYPE_ERROR

#ifdef OP_USER_DATATYPES
#include "op_user_datatypes.h"
#endif

/* ---- from a C++ type to its name ----------------------------------------- */

namespace op2_detail {

/* name: of T; pointer: of T *, as a kernel's parameter; NULL: none. */
template <class T> struct tag {
  static const char *name() {
    return nullptr;
  }
  static const char *pointer() {
    return nullptr;
  }
};
#define OP2_TAG(T, text)                                                       \
  template <> struct tag<T> {                                                  \
    static const char *name() {                                                \
      return text;                                                             \
    }                                                                          \
    static const char *pointer() {                                             \
      return text "*";                                                         \
    }                                                                          \
  };
OP2_TAG(double, "double")
OP2_TAG(float, "float")
OP2_TAG(int, "int")
OP2_TAG(unsigned, "uint")
OP2_TAG(long long, "ll")
OP2_TAG(unsigned long long, "ull")
#if __SIZEOF_LONG__ == 8
OP2_TAG(long, "ll")
OP2_TAG(unsigned long, "ull")
#else
OP2_TAG(long, "int")
OP2_TAG(unsigned long, "uint")
#endif
OP2_TAG(short, "short")
OP2_TAG(char, "char")
OP2_TAG(signed char, "char")
OP2_TAG(unsigned char, "uchar")
OP2_TAG(bool, "bool")
#undef OP2_TAG

template <class T> struct bytes {
  static const size_t value = sizeof(T);
};
template <> struct bytes<void> {
  static const size_t value = 0;
};

/* Asks type_error of the program's own type, if there is one. */
template <class T>
auto
own_type_differs(const T *p, const char *type, int)
    -> decltype(type_error(p, type)) {
  return type && type_error(p, type);
}
template <class T>
int
own_type_differs(const T *, const char *, long) {
  return 0;
}

/* What the library is told about data of type T *. */
template <class T> struct data {
  typedef typename std::remove_cv<T>::type plain;
  static const size_t size = bytes<plain>::value;
  static const char *ctype(const char *type) {
    if (tag<plain>::name()) return tag<plain>::name();
    const plain *none = nullptr;
    return own_type_differs(none, type, 0) ? "?" : nullptr;
  }
};

template <class T>
void *
untyped(T *p) {
  return const_cast<void *>(static_cast<const volatile void *>(p));
}

/* Tag of a kernel's parameter: T * or T **, const or not. */
template <class P> struct param {
  static const bool pointer = false;
  static const char *name() {
    return nullptr;
  }
};
template <class T> struct param<T *> {
  static const bool pointer = true;
  static const char *name() {
    return tag<typename std::remove_cv<T>::type>::name();
  }
};
template <class T> struct param_row {
  static const bool pointer = true;
  static const char *name() {
    return tag<typename std::remove_cv<T>::type>::pointer();
  }
};
template <class T> struct param<T **> : param_row<T> {};
template <class T> struct param<T *const *> : param_row<T> {};

template <bool...> struct flags {};
template <bool... b>
struct all : std::is_same<flags<true, b...>, flags<b..., true>> {};

/* The loop's name, and where op_par_loop stands. */
struct loop_name {
  const char *text, *file;
  int line;
  loop_name(const char *name, OP2_AT) : text(name), file(file), line(line) {
  }
};

template <class... A> struct loop_args {
  static_assert(sizeof...(A) <= OP2_ARGS_MAX,
                "op_par_loop: more than 64 arguments");
  static_assert(all<std::is_same<A, op_arg>::value...>::value,
                "op_par_loop: every argument behind the set must be an op_arg");
};

/* What op2_levels_of has: it lives as long as the call that it stands in. */
template <size_t n> struct level_list {
  struct ::op2_level at[n];
  operator op2_levels() const {
    op2_levels all = {at, n};
    return all;
  }
};

} /* namespace op2_detail */

/* ---- declarations and fetches -------------------------------------------- */

template <class T>
op_dat
op_decl_dat(op_set set, int dim, char const *type, T *data, char const *name,
            OP2_AT) {
  typedef op2_detail::data<T> d;
  op2_here(file, line);
  return op2_decl_dat_at(set, dim, type, d::size, d::ctype(type),
                         op2_detail::untyped(data), name);
}
inline op_dat
op_decl_dat(op_set set, int dim, char const *type, std::nullptr_t,
            char const *name, OP2_AT) {
  op2_here(file, line);
  return op2_decl_dat_at(set, dim, type, 0, nullptr, nullptr, name);
}

template <class T>
op_dat
op_decl_dat_temp(op_set set, int dim, char const *type, T *ignored,
                 char const *name, OP2_AT) {
  typedef op2_detail::data<T> d;
  op2_here(file, line);
  return op2_decl_dat_temp_at(set, dim, type, d::size, d::ctype(type),
                              op2_detail::untyped(ignored), name);
}
inline op_dat
op_decl_dat_temp(op_set set, int dim, char const *type, std::nullptr_t,
                 char const *name, OP2_AT) {
  op2_here(file, line);
  return op2_decl_dat_temp_at(set, dim, type, 0, nullptr, nullptr, name);
}

/* See op2_c.h for lo_hi and data. */
template <class T>
op_dat
op2_decl_dat_box(op_set set, const int *lo_hi, int dim, char const *type,
                 T *data, char const *name, OP2_AT) {
  typedef op2_detail::data<T> d;
  op2_here(file, line);
  return op2_decl_dat_box_at(set, lo_hi, dim, type, d::size, d::ctype(type),
                             op2_detail::untyped(data), name);
}
inline op_dat
op2_decl_dat_box(op_set set, const int *lo_hi, int dim, char const *type,
                 std::nullptr_t, char const *name, OP2_AT) {
  op2_here(file, line);
  return op2_decl_dat_box_at(set, lo_hi, dim, type, 0, nullptr, nullptr, name);
}

template <class T>
void
op_decl_const2(char const *name, int dim, char const *type, T *data, OP2_AT) {
  typedef op2_detail::data<T> d;
  op2_here(file, line);
  op2_decl_const_at(name, dim, type, d::size, d::ctype(type),
                    op2_detail::untyped(data));
}
template <class T>
void
op_decl_const(int dim, char const *type, T *data, OP2_AT) {
  op_decl_const2(nullptr, dim, type, data, file, line);
}

template <class T>
void
op_fetch_data(op_dat dat, T *out, OP2_AT) {
  static_assert(!std::is_const<T>::value, "op_fetch_data writes its target");
  op2_here(file, line);
  op2_fetch_at(dat, out, op2_detail::data<T>::size,
               op2_detail::data<T>::ctype(nullptr));
}
template <class T>
void
op_fetch_data_idx(op_dat dat, T *out, int low, int high, OP2_AT) {
  static_assert(!std::is_const<T>::value, "op_fetch_data writes its target");
  op2_here(file, line);
  op2_fetch_idx_at(dat, out, op2_detail::data<T>::size,
                   op2_detail::data<T>::ctype(nullptr), low, high);
}

/* ---- arguments ----------------------------------------------------------- */

template <class T>
op_arg
op_opt_arg_gbl(int opt, T *data, int dim, char const *type, op_access acc) {
  typedef op2_detail::data<T> d;
  return op2_arg_gbl_at(opt, op2_detail::untyped(data), dim, type, d::size,
                        d::ctype(type), acc);
}
inline op_arg
op_opt_arg_gbl(int opt, std::nullptr_t, int dim, char const *type,
               op_access acc) {
  return op2_arg_gbl_at(opt, nullptr, dim, type, 0, nullptr, acc);
}
template <class T>
op_arg
op_arg_gbl(T *data, int dim, char const *type, op_access acc) {
  return op_opt_arg_gbl(1, data, dim, type, acc);
}
template <class T>
op_arg
op_arg_info(T *data, int dim, char const *type, int ref) {
  typedef op2_detail::data<T> d;
  return op2_arg_info_at(op2_detail::untyped(data), dim, type, d::size,
                         d::ctype(type), ref);
}

/* ---- loops --------------------------------------------------------------- */

/* The kernel: a function, a pointer to one, an instance of a template. */
template <class... P, class... A>
void
op_par_loop(void (*kernel)(P...), op2_detail::loop_name name, op_set set,
            const A &...args) {
  (void)sizeof(op2_detail::loop_args<A...>);
  static_assert(sizeof...(P) == sizeof...(A),
                "op_par_loop: the kernel must take one pointer per op_arg");
  static_assert(op2_detail::all<op2_detail::param<P>::pointer...>::value,
                "op_par_loop: every parameter of the kernel must be a pointer");
  const op_arg list[sizeof...(A) + 1] = {args...};
  static const char *const types[sizeof...(P) + 1] = {
      op2_detail::param<P>::name()...};
  op2_par_loop_typed_at(name.file, name.line,
                        reinterpret_cast<void (*)()>(kernel), name.text, set,
                        static_cast<int>(sizeof...(A)), list, types,
                        static_cast<int>(sizeof...(P)));
}

template <class... P, class... A>
void
op2_par_loop_scan(void (*kernel)(P...), op2_detail::loop_name name, op_set set,
                  int order, const A &...args) {
  (void)sizeof(op2_detail::loop_args<A...>);
  static_assert(sizeof...(P) == sizeof...(A),
                "op2_par_loop_scan: the kernel must take one pointer per "
                "op_arg");
  static_assert(op2_detail::all<op2_detail::param<P>::pointer...>::value,
                "op2_par_loop_scan: every parameter of the kernel must be a "
                "pointer");
  const op_arg list[sizeof...(A) + 1] = {args...};
  static const char *const types[sizeof...(P) + 1] = {
      op2_detail::param<P>::name()...};
  op2_par_loop_scan_at(name.file, name.line,
                       reinterpret_cast<void (*)()>(kernel), name.text, set,
                       order, static_cast<int>(sizeof...(A)), list, types,
                       static_cast<int>(sizeof...(P)));
}

template <class... P>
int
op2_kernel_pure(void (*kernel)(P...)) {
  return op2_kernel_pure_of(reinterpret_cast<void (*)()>(kernel));
}

/* A lambda without captures. */
template <class F, class... A, class = decltype(&F::operator())>
void
op_par_loop(F kernel, op2_detail::loop_name name, op_set set,
            const A &...args) {
  static_assert(std::is_empty<F>::value,
                "op_par_loop: a kernel must not capture anything");
  op_par_loop(+kernel, name, set, args...);
}

template <class F, class... A, class = decltype(&F::operator())>
void
op2_par_loop_scan(F kernel, op2_detail::loop_name name, op_set set, int order,
                  const A &...args) {
  static_assert(std::is_empty<F>::value,
                "op2_par_loop_scan: a kernel must not capture anything");
  op2_par_loop_scan(+kernel, name, set, order, args...);
}

/* NULL: the source that op2_kernel_source was given under this name. */
template <class... A>
void
op_par_loop(std::nullptr_t, op2_detail::loop_name name, op_set set,
            const A &...args) {
  (void)sizeof(op2_detail::loop_args<A...>);
  const op_arg list[sizeof...(A) + 1] = {args...};
  op2_par_loop_at(name.file, name.line, nullptr, name.text, set,
                  static_cast<int>(sizeof...(A)), list);
}
template <class... A>
void
op2_par_loop_scan(std::nullptr_t, op2_detail::loop_name name, op_set set,
                  int order, const A &...args) {
  (void)sizeof(op2_detail::loop_args<A...>);
  const op_arg list[sizeof...(A) + 1] = {args...};
  op2_par_loop_scan_at(name.file, name.line, nullptr, name.text, set, order,
                       static_cast<int>(sizeof...(A)), list, nullptr, 0);
}

/* An item of op2_levels_of. */
template <class... P>
struct op2_level
op2_level(void (*kernel)(P...), struct op2_interval on) {
  static_assert(op2_detail::all<op2_detail::param<P>::pointer...>::value,
                "op2_level: every parameter of the kernel must be a pointer");
  static const char *const types[sizeof...(P) + 1] = {
      op2_detail::param<P>::name()...};
  struct op2_level item = {reinterpret_cast<void (*)()>(kernel), types,
                           sizeof...(P), on};
  return item;
}
template <class F, class = decltype(&F::operator())>
struct op2_level
op2_level(F kernel, struct op2_interval on) {
  static_assert(std::is_empty<F>::value,
                "op2_level: a kernel must not capture anything");
  return op2_level(+kernel, on);
}

template <class... L>
op2_detail::level_list<sizeof...(L)>
op2_levels_of(const L &...items) {
  static_assert(
      op2_detail::all<std::is_same<L, struct op2_level>::value...>::value,
      "op2_levels_of: every argument must be an op2_level");
  op2_detail::level_list<sizeof...(L)> list = {{items...}};
  return list;
}

template <class... A>
void
op2_par_loop_levels(op2_detail::loop_name name, op_set set, op2_axis axis,
                    int order, const op2_levels &items, const A &...args) {
  (void)sizeof(op2_detail::loop_args<A...>);
  const op_arg list[sizeof...(A) + 1] = {args...};
  op2_par_loop_levels_at(name.file, name.line, name.text, set, axis, order,
                         items, static_cast<int>(sizeof...(A)), list);
}

/* ---- calls that note where they stand ---------------------------------------
 * The C functions themselves are in namespace op2_plain. */

inline op_set
op_decl_set(idx_l_t size, char const *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op_decl_set(size, name);
}
inline op_map
op_decl_map(op_set from, op_set to, int dim, idx_l_t *imap, char const *name,
            OP2_AT) {
  op2_here(file, line);
  return op2_plain::op_decl_map(from, to, dim, imap, name);
}
inline op_map
op_decl_map_long(op_set from, op_set to, int dim, idx_g_t *imap,
                 char const *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op_decl_map_long(from, to, dim, imap, name);
}
inline op_dat
op_decl_dat_overlay(op_set set, op_dat dat, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op_decl_dat_overlay(set, dat);
}
inline int
op_free_dat_temp(op_dat dat, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op_free_dat_temp(dat);
}
inline void
op_print_dat_to_txtfile(op_dat dat, const char *file_name, OP2_AT) {
  op2_here(file, line);
  op2_plain::op_print_dat_to_txtfile(dat, file_name);
}
inline void
op_print_dat_to_binfile(op_dat dat, const char *file_name, OP2_AT) {
  op2_here(file, line);
  op2_plain::op_print_dat_to_binfile(dat, file_name);
}
inline op_set
op_decl_set_hdf5(char const *file_name, char const *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op_decl_set_hdf5(file_name, name);
}
inline op_set
op_decl_set_hdf5_infer_size(char const *file_name, char const *name,
                            char const *set_dataset_name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op_decl_set_hdf5_infer_size(file_name, name,
                                                set_dataset_name);
}
inline op_map
op_decl_map_hdf5(op_set from, op_set to, int dim, char const *file_name,
                 char const *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op_decl_map_hdf5(from, to, dim, file_name, name);
}
inline op_dat
op_decl_dat_hdf5(op_set set, int dim, char const *type, char const *file_name,
                 char const *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op_decl_dat_hdf5(set, dim, type, file_name, name);
}
inline void
op_get_const_hdf5(char const *name, int dim, char const *type, char *const_data,
                  char const *file_name, OP2_AT) {
  op2_here(file, line);
  op2_plain::op_get_const_hdf5(name, dim, type, const_data, file_name);
}
inline void
op_write_const_hdf5(char const *name, int dim, char const *type,
                    char *const_data, char const *file_name, OP2_AT) {
  op2_here(file, line);
  op2_plain::op_write_const_hdf5(name, dim, type, const_data, file_name);
}
inline void
op_dump_to_hdf5(char const *file_name, OP2_AT) {
  op2_here(file, line);
  op2_plain::op_dump_to_hdf5(file_name);
}
inline void
op_fetch_data_hdf5_file(op_dat dat, char const *file_name, OP2_AT) {
  op2_here(file, line);
  op2_plain::op_fetch_data_hdf5_file(dat, file_name);
}
inline void
op_fetch_data_hdf5_file_path(op_dat dat, char const *file_name,
                             char const *path_name, OP2_AT) {
  op2_here(file, line);
  op2_plain::op_fetch_data_hdf5_file_path(dat, file_name, path_name);
}
OP2_CHECKED inline int
op2_checkpoint(const char *path, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_checkpoint(path);
}
OP2_CHECKED inline int
op2_restart(const char *path, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_restart(path);
}
inline void
op2_flush(OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_flush();
}
inline void
op2_sync(op_dat dat, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_sync(dat);
}
inline const void *
op2_dat_data(op_dat dat, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_dat_data(dat);
}
inline void *
op2_dat_data_rw(op_dat dat, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_dat_data_rw(dat);
}
inline op_set
op2_decl_subset(op_set set, idx_l_t n, const idx_l_t *indices, const char *name,
                OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_subset(set, n, indices, name);
}
inline op_set
op2_decl_box(int ndim, const idx_g_t *n, const int *boundary, const char *name,
             OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_box(ndim, n, boundary, name);
}
inline op_set
op2_decl_grid(const idx_g_t *n, int colours, const int *boundary,
              const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_grid(n, colours, boundary, name);
}
inline op2_axis
op2_decl_axis(op_set set, int dimension, int nsplitters, int limit, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_axis(set, dimension, nsplitters, limit);
}
OP2_CHECKED inline int
op2_axis_place(op2_axis axis, const idx_l_t *position, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_axis_place(axis, position);
}
inline op_dat
op2_decl_dat_box_temp(op_set set, const int *lo_hi, int dim, const char *type,
                      const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_dat_box_temp(set, lo_hi, dim, type, name);
}
inline op_map
op2_decl_map_rule(op_set from, op_set to, int count, const int *rule,
                  const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_map_rule(from, to, count, rule, name);
}
inline op_map
op2_decl_map_grid(op_set from, op_set to, const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_map_grid(from, to, name);
}
inline op_map
op2_map_materialise(op_map map, const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_map_materialise(map, name);
}
inline op_set
op2_set_union(op_set a, op_set b, const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_set_union(a, b, name);
}
inline op_set
op2_set_intersection(op_set a, op_set b, const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_set_intersection(a, b, name);
}
inline op_set
op2_set_difference(op_set a, op_set b, const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_set_difference(a, b, name);
}
inline op_set
op2_decl_columns(op_set base, int layers, const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_columns(base, layers, name);
}
inline op_set
op2_decl_columns_var(op_set base, const idx_l_t *range, const char *name,
                     OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_columns_var(base, range, name);
}
inline op_set
op2_columns_region(op_set columns, int region, const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_columns_region(columns, region, name);
}
inline op_map
op2_decl_map_columns(op_set from, op_set to, op_map base, const int *offset,
                     const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_map_columns(from, to, base, offset, name);
}
inline op_map
op2_decl_map_csr(op_set from, op_set to, const idx_g_t *row_ptr,
                 const idx_l_t *col, const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_map_csr(from, to, row_ptr, col, name);
}
inline op_map
op2_decl_map_padded(op_set from, op_set to, int width, const idx_l_t *table,
                    const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_map_padded(from, to, width, table, name);
}
inline op_map
op2_decl_map_composed(op_map first, op_map then, const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_map_composed(first, then, name);
}
inline op_map
op2_decl_map_permuted(op_map map, const int *perm, const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_map_permuted(map, perm, name);
}
inline int
op2_free(void *handle, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_free(handle);
}
inline op2_gbl
op2_decl_gbl(int dim, const char *type, const void *init, const char *name,
             OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_gbl(dim, type, init, name);
}
inline void
op2_gbl_get(op2_gbl gbl, void *out, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_gbl_get(gbl, out);
}
inline void
op2_gbl_set(op2_gbl gbl, const void *in, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_gbl_set(gbl, in);
}
inline void
op2_dat_zero(op_dat x, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_zero(x);
}
inline void
op2_dat_zero_on(op_set subset, op_dat x, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_zero_on(subset, x);
}
inline void
op2_dat_copy(op_dat to, op_dat from, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_copy(to, from);
}
inline void
op2_dat_copy_on(op_set subset, op_dat to, op_dat from, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_copy_on(subset, to, from);
}
inline void
op2_dat_scale(op_dat x, double a, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_scale(x, a);
}
inline void
op2_dat_scale_on(op_set subset, op_dat x, double a, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_scale_on(subset, x, a);
}
inline void
op2_dat_axpy(op_dat y, double a, op_dat x, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_axpy(y, a, x);
}
inline void
op2_dat_axpy_on(op_set subset, op_dat y, double a, op_dat x, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_axpy_on(subset, y, a, x);
}
inline void
op2_dat_axpy_gbl(op_dat y, double sign, op2_gbl a, op_dat x, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_axpy_gbl(y, sign, a, x);
}
inline void
op2_dat_axpy_gbl_on(op_set subset, op_dat y, double sign, op2_gbl a, op_dat x,
                    OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_axpy_gbl_on(subset, y, sign, a, x);
}
inline void
op2_dat_dot(op_dat x, op_dat y, op2_gbl out, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_dot(x, y, out);
}
inline void
op2_dat_dot_on(op_set subset, op_dat x, op_dat y, op2_gbl out, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_dot_on(subset, x, y, out);
}
inline void
op2_dat_norm(op_dat x, op2_gbl out, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_norm(x, out);
}
inline void
op2_dat_norm_on(op_set subset, op_dat x, op2_gbl out, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_dat_norm_on(subset, x, out);
}
OP2_CHECKED inline op2_sparsity
op2_decl_sparsity(int npairs, const op_map *rows, const op_map *columns,
                  const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_sparsity(npairs, rows, columns, name);
}
inline op2_mat
op2_decl_mat(op2_sparsity sparsity, int rdim, int cdim, const char *type,
             const char *name, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_decl_mat(sparsity, rdim, cdim, type, name);
}
inline void
op2_mat_mult(op2_mat mat, op_dat x, op_dat y, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_mat_mult(mat, x, y);
}
inline void
op2_mat_mult_transpose(op2_mat mat, op_dat x, op_dat y, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_mat_mult_transpose(mat, x, y);
}
inline void
op2_mat_zero(op2_mat mat, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_mat_zero(mat);
}
inline void
op2_mat_zero_rows(op2_mat mat, op_set rows, double diagonal, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_mat_zero_rows(mat, rows, diagonal);
}
inline void
op2_mat_set_diagonal(op2_mat mat, op_set rows, double value, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_mat_set_diagonal(mat, rows, value);
}
inline void
op2_mat_mask(op2_mat mat, op_set rows, op_set columns, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_mat_mask(mat, rows, columns);
}
inline op2_csr
op2_mat_csr(op2_mat mat, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_mat_csr(mat);
}
inline void
op2_mat_write_hdf5(op2_mat mat, const char *path, const char *name, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_mat_write_hdf5(mat, path, name);
}
inline void
op2_mat_read_hdf5(op2_mat mat, const char *path, const char *name, OP2_AT) {
  op2_here(file, line);
  op2_plain::op2_mat_read_hdf5(mat, path, name);
}
inline void *
op2_mat_petsc(op2_mat mat, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_mat_petsc(mat);
}
inline int
op2_solve(op2_mat mat, op_dat x, op_dat b, const char *options,
          op2_solve_info *info, OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_solve(mat, x, b, options, info);
}
inline int
op2_solve_with(void (*apply)(op_dat x, op_dat y, void *user), void *user,
               op_dat x, op_dat b, const char *options, op2_solve_info *info,
               OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_solve_with(apply, user, x, b, options, info);
}

OP2_CHECKED inline int
op2_write_vtk(const char *path, double time, op_map cells_to_nodes,
              int vtk_cell_type, op_dat coordinates, int n, const op_dat *dats,
              OP2_AT) {
  op2_here(file, line);
  return op2_plain::op2_write_vtk(path, time, cells_to_nodes, vtk_cell_type,
                                  coordinates, n, dats);
}

#undef OP2_AT

#endif
