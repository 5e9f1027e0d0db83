/* PageRank: where somebody is found who follows links at random, and with each click in
 * seven or so begins anew anywhere.
 *
 *   pagerank [pages]
 *
 * Ranks are passed along links until they hardly change. How much they do is a global
 * in a handle, looked at every tenth step: nine of ten steps wait, and run with it. */
#include "op2.h"

#include <stdlib.h>

static const double follows = 0.85; /* instead of beginning anew */

/* ---- kernels ------------------------------------------------------------- */

static void
count(double *links) {
  *links += 1;
}

static void
start(const double *pages, double *rank) {
  *rank = 1 / *pages;
}

/* What each of a page's links takes along; pages without links lose all. */
static void
share(const double *rank, const double *links, double *part, double *lost) {
  *part = *links > 0 ? *rank / *links : 0;
  *lost += *links > 0 ? 0 : *rank;
}

static void
begin(const double *pages, const double *lost, double *next) {
  *next = (1 - follows + follows * *lost) / *pages;
}

static void
pass_on(const double *part, double *next) {
  *next += follows * *part;
}

static void
take(const double *next, double *rank, double *change) {
  double d = *next - *rank;
  *change += d < 0 ? -d : d;
  *rank = *next;
}

static void
best(const double *rank, const int *page, double *most, int *which) {
  if (*rank > *most) {
    *most = *rank;
    *which = *page;
  }
}

/* ---- a web --------------------------------------------------------------- */

/* Page p links to p / 2 and, but for every third, to one far away; page 0 to none. */
static int
make_web(int pages, int *link) {
  int n = 0;
  for (int p = 1; p < pages; p++) {
    link[2 * n] = p;
    link[2 * n++ + 1] = p / 2;
    if (p % 3 == 0) continue;
    link[2 * n] = p;
    link[2 * n++ + 1] = (int)((7LL * p + 1) % pages);
  }
  return n;
}

/* ---- program ------------------------------------------------------------- */

int
main(int argc, char **argv) {
  int npages = argc > 1 && atoi(argv[1]) > 1 ? atoi(argv[1]) : 10000;
  int *link = malloc(4 * sizeof *link * (size_t)npages), nlinks;
  double zero = 0, size = npages, now = 1;
  if (!link) return 1;
  op_init(argc, argv, 0);
  nlinks = make_web(npages, link);
  op_set pages = op_decl_set(npages, "pages"), hops = op_decl_set(nlinks, "links");
  op_map ends = op_decl_map(hops, pages, 2, link, "ends"); /* from, to */
  op_dat rank = op_decl_dat(pages, 1, "double", (double *)NULL, "rank");
  op_dat next = op_decl_dat(pages, 1, "double", (double *)NULL, "next");
  op_dat part = op_decl_dat(pages, 1, "double", (double *)NULL, "part");
  op_dat links = op_decl_dat(pages, 1, "double", (double *)NULL, "links_of");
  op2_gbl lost = op2_decl_gbl(1, "double", &zero, "lost");
  op2_gbl change = op2_decl_gbl(1, "double", &zero, "change");

  op_par_loop(count, "count", hops, op_arg_dat(links, 0, ends, 1, "double", OP_INC));
  op_par_loop(start, "start", pages, op_arg_gbl(&size, 1, "double", OP_READ),
              op_arg_dat(rank, -1, OP_ID, 1, "double", OP_WRITE));
  for (int step = 1; now > 1e-10; step++) {
    op2_gbl_set(lost, &zero);
    op2_gbl_set(change, &zero);
    op_par_loop(share, "share", pages, op_arg_dat(rank, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(links, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(part, -1, OP_ID, 1, "double", OP_WRITE),
                op2_arg_gbl(lost, 1, "double", OP_INC));
    op_par_loop(begin, "begin", pages, op_arg_gbl(&size, 1, "double", OP_READ),
                op2_arg_gbl(lost, 1, "double", OP_READ),
                op_arg_dat(next, -1, OP_ID, 1, "double", OP_WRITE));
    op_par_loop(pass_on, "pass_on", hops, op_arg_dat(part, 0, ends, 1, "double", OP_READ),
                op_arg_dat(next, 1, ends, 1, "double", OP_INC));
    op_par_loop(take, "take", pages, op_arg_dat(next, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(rank, -1, OP_ID, 1, "double", OP_RW),
                op2_arg_gbl(change, 1, "double", OP_INC));
    if (step % 10) continue;
    op2_gbl_get(change, &now);
    op_printf("step %3d: change %.1e\n", step, now);
  }

  double most = 0, sum = 0;
  int which = -1;
  op_par_loop(best, "best", pages, op_arg_dat(rank, -1, OP_ID, 1, "double", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_gbl(&most, 1, "double", OP_MAX),
              op_arg_info(&which, 1, "int", 2));
  op2_gbl all = op2_decl_gbl(1, "double", &zero, "all");
  op_dat ones = op_decl_dat(pages, 1, "double", (double *)NULL, "ones");
  double one = 1;
  op_par_loop(start, "ones", pages, op_arg_gbl(&one, 1, "double", OP_READ),
              op_arg_dat(ones, -1, OP_ID, 1, "double", OP_WRITE));
  op2_dat_dot(rank, ones, all);
  op2_gbl_get(all, &sum);
  op_printf("all ranks: %.9f; most, %.6f, has page %d\n", sum, most, which);
  op_exit();
  free(link);
  return 0;
}
