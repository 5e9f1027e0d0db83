/* op2_explain: what was moved to a device, what runs there, and how increments that
 * meet are made safe. */
#include "check.h"

enum { N = 1000 };

static void
flux(const double *x, double *a, double *b) {
  *a += *x;
  *b -= *x;
}

/* Is it the form that was asked for? */
static void
check_form(const char *text) {
  const char *increments = getenv("OP2_INCREMENTS");
  const char *threading = getenv("OP2_THREADING");
  const char *gather = getenv("OP2_GATHER");
  if (gather && !strcmp(gather, "always"))
    CHECK(!strstr(text, ", writes through maps "));
  else if (threading && !strcmp(threading, "colours"))
    CHECK(strstr(text, ", writes through maps coloured"));
  else if (increments && !strcmp(increments, "staged"))
    CHECK(strstr(text, ", writes through maps staged"));
  else
    CHECK(strstr(text, ", writes through maps "));
}

int
main(int argc, char **argv) {
  static int to[2 * N];
  static double x[N], sum[N];
  const char *device = check_device();
  const char *fallback = getenv("OP2_OFFLOAD_FALLBACK");
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    x[e] = e;
    to[2 * e] = e;
    to[2 * e + 1] = (e + 1) % N;
  }
  op_set edges = op_decl_set(N, "edges"), nodes = op_decl_set(N, "nodes");
  op_map map = op_decl_map(edges, nodes, 2, to, "map");
  op_dat value = op_decl_dat(edges, 1, "double", x, "value");
  op_dat total = op_decl_dat(nodes, 1, "double", sum, "total");
  op_par_loop(flux, "flux", edges,
              op_arg_dat(value, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(total, 0, map, 1, "double", OP_INC),
              op_arg_dat(total, 1, map, 1, "double", OP_INC));
  op2_flush();
  const char *text = op2_explain();
  if (device && check_ir()) {
    char words[64];
    snprintf(words, sizeof words, "value.0 goes to %s for flux", device);
    CHECK(strstr(text, words));
    snprintf(words, sizeof words, "device: flux runs on %s:0 (", device);
    CHECK(strstr(text, words));
    check_form(text);
  } else if (!fallback) {
    CHECK(!strstr(text, "device: "));
  }
  op_fetch_data(total, sum);
  for (int e = 1; e < N; e++) CHECK(sum[e] == 1);
  return check_end();
}
