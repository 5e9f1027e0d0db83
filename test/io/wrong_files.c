/* Every wrong call with a file gives one message that names the call's place,
 * the file and the data set, what was expected and what was found, and has no effect.
 * The files are foreign_files.c's. */
#include "test/programs/check.h"

static int nmessages;
static char message[4096];

static void
on_error(int status, const char *text, void *user) {
  (void)user;
  nmessages++;
  snprintf(message, sizeof message, "%d: %s", status, text);
}

/* One message of this status that has these words, from this line, or from another
 * one that the macro's call takes (compilers differ). */
static void
check_said(int line, const char *call, int status, const char *words) {
  char place[64];
  int len = snprintf(place, sizeof place, "%d: " __FILE__ ":", status);
  int said = strncmp(message, place, (size_t)len) ? 0 : atoi(message + len);
  if (nmessages != 1 || !strstr(message, words) || abs(said - line) > 3)
    check_fail(__FILE__, line,
               "%s: %d messages, \"%s\", expected \"%s%d...%s\"", call,
               nmessages, message, place, line, words);
  nmessages = 0;
  *message = 0;
}
#define WRONG(call, status, words)                                             \
  do {                                                                         \
    call;                                                                      \
    check_said(__LINE__, #call, status, words);                                \
  } while (0)
#define IO OP2_ERR_IO
#define ARG OP2_ERR_ARG

static void
wrong_sets(void) {
  WRONG(CHECK(!op_decl_set_hdf5("missing.h5", "cells")), IO,
        "op_decl_set_hdf5: \"missing.h5\": expected a file to read, found: No "
        "such file");
  WRONG(CHECK(!op_decl_set_hdf5("text.h5", "cells")), IO,
        "\"text.h5\": expected an HDF5 file, found something else");
  WRONG(CHECK(!op_decl_set_hdf5(NULL, "cells")), ARG, "expected a file name");
  WRONG(CHECK(!op_decl_set_hdf5("op2.h5", NULL)), ARG, "name of a data set");
  WRONG(CHECK(!op_decl_set_hdf5("op2.h5", "sell")), IO,
        "\"op2.h5\": expected a data set \"sell\", found none");
  WRONG(CHECK(!op_decl_set_hdf5("op2.h5", "a/b/c")), IO, "found none");
  WRONG(CHECK(!op_decl_set_hdf5("op2.h5", "q")), IO,
        "\"q\": wrong shape: expected [1, 1], found [5, 2]");
  WRONG(CHECK(!op_decl_set_hdf5("op2.h5", "gam")), IO,
        "\"gam\": wrong type: expected values that can be read as i64 without "
        "loss, found 8-byte float");
  WRONG(CHECK(!op_decl_set_hdf5("other.h5", "big")), IO,
        "expected a size of 0 to 2147483647, found 8589934592");
  WRONG(CHECK(!op_decl_set_hdf5("other.h5", "minus")), IO, "found -1");
  WRONG(CHECK(!op_decl_set_hdf5("other.h5", "group")), IO,
        "\"group\": expected a data set");
  WRONG(CHECK(!op_decl_set_hdf5_infer_size("op2.h5", "c", "cubes")), IO,
        "expected a data set \"cubes\", found none");
  WRONG(CHECK(!op_decl_set_hdf5_infer_size("other.h5", "c", "cube")), IO,
        "wrong shape: expected at most 2 dimensions, found 3");
}

static void
wrong_maps(op_set cells, op_set edges) {
  WRONG(CHECK(!op_decl_map_hdf5(edges, cells, 2, "none.h5", "ecell")), IO,
        "op_decl_map_hdf5: \"none.h5\"");
  WRONG(CHECK(!op_decl_map_hdf5(NULL, cells, 2, "op2.h5", "ecell")), ARG,
        "from: expected a declared set");
  WRONG(CHECK(!op_decl_map_hdf5(edges, cells, 0, "op2.h5", "ecell")), ARG,
        "dim: expected 1 to 65536, found 0");
  WRONG(CHECK(!op_decl_map_hdf5(edges, cells, 2, "op2.h5", "pcell")), IO,
        "expected a data set \"pcell\", found none");
  WRONG(CHECK(!op_decl_map_hdf5(edges, cells, 3, "op2.h5", "ecell")), IO,
        "\"ecell\": wrong shape: expected [4, 3], found [4, 2]");
  WRONG(CHECK(!op_decl_map_hdf5(cells, edges, 2, "op2.h5", "ecell")), IO,
        "wrong shape: expected [5, 2], found [4, 2]");
  WRONG(CHECK(!op_decl_map_hdf5(cells, edges, 2, "op2.h5", "q")), IO,
        "wrong type");
  WRONG(CHECK(!op_decl_map_hdf5(edges, cells, 2, "other.h5", "outside")), ARG,
        "\"other.h5\": op_decl_map \"outside\": entry 1 of element 2: expected "
        "0 to 4 (set \"scalar\"), found 5");
}

static void
wrong_dats(op_set cells) {
  WRONG(CHECK(!op_decl_dat_hdf5(cells, 2, "double", "none.h5", "q")), IO,
        "op_decl_dat_hdf5: \"none.h5\"");
  WRONG(CHECK(!op_decl_dat_hdf5(NULL, 2, "double", "op2.h5", "q")), ARG,
        "set: expected a declared set");
  WRONG(CHECK(!op_decl_dat_hdf5(cells, 2, "double", "op2.h5", "p")), IO,
        "expected a data set \"p\", found none");
  WRONG(CHECK(!op_decl_dat_hdf5(cells, 3, "double", "op2.h5", "q")), IO,
        "wrong shape: expected [5, 3], found [5, 2]");
  WRONG(CHECK(!op_decl_dat_hdf5(cells, 2, "float", "op2.h5", "q")), IO,
        "wrong type: expected values that can be read as f32 without loss, "
        "found 8-byte float");
  WRONG(CHECK(!op_decl_dat_hdf5(cells, 2, "int", "op2.h5", "q")), IO,
        "wrong type");
  WRONG(CHECK(!op_decl_dat_hdf5(cells, 2, "particle", "op2.h5", "q")), ARG,
        "type: expected a type name, found \"particle\"");
  WRONG(
      CHECK(!op_decl_dat_hdf5(cells, 1, "int", "other.h5", "far")), IO,
      "\"far\": expected values that fit i32, found one that would be changed");
  WRONG(CHECK(!op_decl_dat_hdf5(cells, 1, "uint", "other.h5", "wide")), IO,
        "expected values that fit u32");
  WRONG(CHECK(!op_decl_dat_hdf5(cells, 1, "double", "other.h5", "inexact")), IO,
        "expected values that fit f64");
  WRONG(CHECK(!op_decl_dat_hdf5(cells, 1, "bool", "other.h5", "small")), IO,
        "expected 0 or 1 (bool), found 2");
  WRONG(CHECK(!op_decl_dat_hdf5(cells, 1, "char", "other.h5", "text")), IO,
        "found 2-byte text");
}

static void
wrong_writes(op_set cells, op_dat q) {
  double two[2] = {0, 0};
  int i[5] = {0};
  op_dat same = op_decl_dat(cells, 1, "int", i, "q");
  WRONG(op_fetch_data_hdf5_file(NULL, "out.h5"), ARG,
        "op_fetch_data_hdf5_file: expected a declared dat");
  WRONG(op_fetch_data_hdf5_file(q, NULL), ARG, "expected a file name");
  WRONG(op_fetch_data_hdf5_file(q, "/nowhere/out.h5"), IO,
        "\"/nowhere/out.h5\": cannot be written");
  WRONG(op_fetch_data_hdf5_file(q, "text.h5"), IO, "expected an HDF5 file");
  WRONG(op_fetch_data_hdf5_file_path(q, "out.h5", NULL), ARG,
        "expected the name of a data set");
  WRONG(op_fetch_data_hdf5_file_path(q, "op2.h5", "ecell"), IO,
        "\"ecell\" is there already: expected 5 rows of 2, found 4 of 2");
  WRONG(op_fetch_data_hdf5_file_path(same, "other.h5", "far"), IO,
        "\"far\" is there already: wrong type: expected i32, found 8-byte "
        "integer");
  WRONG(op_fetch_data_hdf5_file_path(q, "op2.h5", "q/inside"), IO,
        "\"q/inside\"");
  WRONG(op_dump_to_hdf5("dump.h5"), IO,
        "op_dump_to_hdf5: \"dump.h5\": expected one set, map or dat \"q\", "
        "found two");
  WRONG(op_dump_to_hdf5(NULL), ARG, "expected a file name");
  CHECK(!fopen("dump.h5", "r") && !fopen("dump.h5.part", "r"));
  WRONG(op_get_const_hdf5("gam", 2, "double", (char *)two, "op2.h5"), IO,
        "op_get_const_hdf5: \"op2.h5\": \"gam\": wrong shape: expected 2 "
        "values, found 1");
  WRONG(op_get_const_hdf5("gam", 1, "int", (char *)two, "op2.h5"), IO,
        "wrong type");
  WRONG(op_get_const_hdf5("nu", 1, "double", (char *)two, "op2.h5"), IO,
        "expected a data set \"nu\"");
  WRONG(op_get_const_hdf5("gam", 1, "double", NULL, "op2.h5"), ARG,
        "expected an address");
  WRONG(op_write_const_hdf5("gam", 0, "double", (char *)two, "op2.h5"), ARG,
        "dim: expected 1 or more, found 0");
  WRONG(op_write_const_hdf5("gam", 2, "double", (char *)two, "op2.h5"), IO,
        "is there already: expected 2 rows");
  WRONG(op_write_const_hdf5("c", 1, "particle", (char *)two, "op2.h5"), ARG,
        "expected a type name, found \"particle\"");
}

/* Data sets that are not there are told of, and the program goes on, as in OP2. */
static void
absent(op_set cells, op_set edges) {
  double kept = 5;
  op2_set_error_handler(NULL, NULL);
  CHECK(!op_decl_set_hdf5("op2.h5", "sell"));
  CHECK(!op_decl_set_hdf5_infer_size("op2.h5", "c", "cubes"));
  CHECK(!op_decl_map_hdf5(edges, cells, 2, "op2.h5", "pcell"));
  CHECK(!op_decl_dat_hdf5(cells, 2, "double", "op2.h5", "p"));
  op_get_const_hdf5("gamma", 1, "double", (char *)&kept, "op2.h5");
  CHECK_REAL(kept, 5);
  CHECK(strstr(op2_last_error(), "expected a data set \"gamma\", found none"));
}

int
main(int argc, char **argv) {
  op2_set_error_handler(on_error, NULL);
  check_start(argc, argv);
  wrong_sets();
  op_set cells = op_decl_set_hdf5("other.h5", "scalar");
  op_set edges = op_decl_set_hdf5("op2.h5", "edges");
  wrong_maps(cells, edges);
  wrong_dats(cells);
  op_dat q = op_decl_dat_hdf5(cells, 2, "double", "op2.h5", "q");
  wrong_writes(cells, q);
  CHECK_INT(nmessages, 0);
  absent(cells, edges);
  return check_end();
}
