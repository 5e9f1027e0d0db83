/* Relations: what rows of each kind are, by hand and at random; and colours, parts and
 * checkers go over any of them. */
#include "rt/mesh/order.h"
#include "rt_make.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 1 << 20 }; /* all that a row has */

static void
expect_row(const struct rt_relation *r, idx_l e, uint32_t n, ...) {
  struct rt_row row = rt_row(r, e);
  va_list ap;
  va_start(ap, n);
  cr_assert_eq(row.n, n, "row %d has %u entries", e, row.n);
  for (uint32_t i = 0; i < n; i++) {
    idx_l want = va_arg(ap, idx_l);
    cr_assert_eq(row.at[i], want, "row %d, entry %u: %d", e, i, row.at[i]);
  }
  va_end(ap);
}

/* ---- by hand ----------------------------------------------------------------- */

/* Three edges of four cells; cell 3 has none, edge 1 names cell 1 twice. */
static const idx_l pairs[] = {2, 0, 1, 1, 0, 1};
static struct rt_set edges = {.n = 3, .name = "edges"},
                     cells = {.n = 4, .name = "cells"},
                     pair = {.n = 2, .name = "pair"};
static const struct rt_relation pecell = {.from = &edges,
                                          .to = &cells,
                                          .arity = 2,
                                          .table = pairs,
                                          .version = 1,
                                          .name = "pecell"};
/* Two elements: one has all edges, one has none. */
static const int64_t starts[] = {0, 3, 3};
static const idx_l members[] = {2, 0, 1};
static const struct rt_relation some = {.from = &pair,
                                        .to = &edges,
                                        .table = members,
                                        .start = starts,
                                        .version = 2,
                                        .name = "some"};

Test(relation, a_table_has_rows_of_one_length) {
  expect_row(&pecell, 0, 2, 2, 0);
  expect_row(&pecell, 2, 2, 0, 1);
  cr_assert_eq(rt_relation_entries(&pecell), 6);
  struct rt_row second = rt_entries_of(&(struct rt_entries){&pecell, 1, 1}, 2);
  cr_assert(second.n == 1 && second.at[0] == 1);
}

Test(relation, csr_rows_are_taken_as_far_as_they_go) {
  expect_row(&some, 0, 3, 2, 0, 1);
  expect_row(&some, 1, 0);
  cr_assert_eq(rt_relation_entries(&some), 3);
  struct rt_entries tail = {&some, 1, ALL}, far = {&some, 7, 2};
  cr_assert_eq(rt_entries_of(&tail, 0).n, 2);
  cr_assert_eq(rt_entries_of(&tail, 0).at[0], 0);
  cr_assert_eq(rt_entries_of(&tail, 1).n, 0);
  cr_assert_eq(rt_entries_of(&far, 0).n, 0);
}

Test(relation, an_inverse_lists_who_names_an_element) {
  struct rt_relation inv;
  static const uint32_t entries[] = {1, 0, 0, 1, 1, 0};
  cr_assert_eq(rt_relation_inverse(&pecell, NULL, &inv), OK);
  cr_assert(inv.from == &cells && inv.to == &edges);
  expect_row(&inv, 0, 2, 0, 2);
  expect_row(&inv, 1, 3, 1, 1, 2);
  expect_row(&inv, 2, 1, 0);
  expect_row(&inv, 3, 0);
  cr_assert_arr_eq(inv.entry, entries, sizeof entries);
  rt_relation_clear(&inv);
}

/* The order in which one rank runs elements that were renumbered. */
Test(relation, an_inverse_goes_by_the_order_it_is_given) {
  static const idx_l order[] = {2, 1, 0};
  struct rt_relation inv;
  cr_assert_eq(rt_relation_inverse(&pecell, order, &inv), OK);
  expect_row(&inv, 0, 2, 2, 0);
  expect_row(&inv, 1, 3, 2, 1, 1);
  rt_relation_clear(&inv);
}

Test(relation, composed_rows_follow_each_other) {
  struct rt_relation two, back, inv;
  cr_assert_eq(rt_relation_composed(&some, &pecell, &two), OK);
  cr_assert(two.from == &pair && two.to == &cells && two.start);
  expect_row(&two, 0, 6, 0, 1, 2, 0, 1, 1);
  expect_row(&two, 1, 0);
  cr_assert_eq(rt_relation_inverse(&pecell, NULL, &inv), OK);
  cr_assert_eq(rt_relation_composed(&inv, &pecell, &back), OK);
  expect_row(&back, 2, 2, 2, 0);
  expect_row(&back, 0, 4, 2, 0, 0, 1);
  rt_relation_clear(&two);
  rt_relation_clear(&inv);
  rt_relation_clear(&back);
}

Test(relation, two_tables_compose_to_a_table) {
  static const idx_l next[] = {1, 2, 0};
  struct rt_relation turn = {.from = &edges,
                             .to = &edges,
                             .arity = 1,
                             .table = next,
                             .name = "turn"},
                     r;
  cr_assert_eq(rt_relation_composed(&turn, &pecell, &r), OK);
  cr_assert(!r.start && r.arity == 2);
  expect_row(&r, 0, 2, 1, 1);
  expect_row(&r, 2, 2, 2, 0);
  rt_relation_clear(&r);
}

Test(relation, facts_are_those_of_all_rows) {
  struct rt_facts f;
  struct rt_relation inv, m = pecell;
  cr_assert_eq(rt_relation_scan(&pecell, &f), OK);
  cr_assert(!f.onto && !f.injective && f.repeats && f.bad < 0);
  cr_assert_eq(rt_relation_scan(&some, &f), OK);
  cr_assert(f.onto && f.injective && !f.repeats && f.bad < 0);
  cr_assert_eq(rt_relation_inverse(&pecell, NULL, &inv), OK);
  cr_assert_eq(rt_relation_scan(&inv, &f), OK);
  cr_assert(f.onto && !f.injective && f.repeats);
  rt_relation_clear(&inv);
  struct rt_set few = {.n = 2};
  m.to = &few;
  cr_assert_eq(rt_relation_scan(&m, &f), OK);
  cr_assert(f.bad == 0 && f.bad_entry == 0);
}

Test(relation, empty_sets_have_empty_rows) {
  struct rt_set none = {.n = 0};
  struct rt_relation m = {.from = &none, .to = &cells, .arity = 2}, inv, two;
  struct rt_facts f;
  cr_assert_eq(rt_relation_scan(&m, &f), OK);
  cr_assert(f.injective && !f.onto && f.bad < 0);
  cr_assert_eq(rt_relation_inverse(&m, NULL, &inv), OK);
  expect_row(&inv, 3, 0);
  cr_assert_eq(rt_relation_composed(&m, &inv, &two), OK);
  cr_assert_eq(rt_relation_entries(&two), 0);
  rt_relation_clear(&inv);
  rt_relation_clear(&two);
}

/* ---- at random ------------------------------------------------------------------ */

enum { E = 4000, C = 1500 };

static struct rt_set many = {.n = E, .name = "many"},
                     few = {.n = C, .name = "few"};

/* Rows near their element, of `most` entries at most; of one length: all have these. */
static struct rt_relation
random_rows(const struct rt_set *from, const struct rt_set *to, uint32_t most,
            bool own, uint32_t seed) {
  struct rt_relation r = {.from = from, .to = to, .version = rt_version_new()};
  int64_t n = 0, *start = mem_alloc((size_t)from->n + 1, sizeof *start);
  idx_l *table = mem_alloc((size_t)from->n * most + 1, sizeof *table);
  for (idx_l e = 0; e < from->n; e++) {
    uint32_t k = own ? make_random(&seed) % (most + 1) : most;
    while (k--) {
      idx_l near = (idx_l)((int64_t)e * to->n / from->n);
      table[n++] = (near + (idx_l)(make_random(&seed) % 8)) % to->n;
    }
    start[e + 1] = n;
  }
  r.arity = own ? 0 : most;
  r.name = own ? "csr" : "table";
  r.table = table;
  r.start = own ? start : NULL;
  if (!own) free(start);
  return r;
}

/* The elements that name t are those in its row: the definition, entry by entry. */
static void
check_inverse(const struct rt_relation *of) {
  struct rt_relation inv;
  cr_assert_eq(rt_relation_inverse(of, NULL, &inv), OK);
  cr_assert_eq(rt_relation_entries(&inv), rt_relation_entries(of));
  for (idx_l t = 0; t < of->to->n; t++) {
    struct rt_row row = rt_row(&inv, t);
    for (uint32_t i = 0; i < row.n; i++) {
      uint32_t entry = inv.entry[row.at + i - inv.table];
      cr_assert_eq(rt_row(of, row.at[i]).at[entry], t);
      if (i) cr_assert_leq(row.at[i - 1], row.at[i]);
    }
  }
  rt_relation_clear(&inv);
}

/* What goes over conflicts takes these, and the checkers find a planted race. */
static void
check_conflict(const struct rt_relation *r, uint32_t first, uint32_t count) {
  struct rt_entries c = {r, first, count};
  idx_l n = r->from->n;
  struct rt_walk_want colours = make_colours(n, 16, &c, 1, true);
  struct rt_walk_want parts = make_parts(n, 3, &c, 1);
  struct rt_walk *w;
  cr_assert_eq(rt_walk_make(&colours, &w), OK);
  cr_assert_eq(rt_walk_check(w, 0, n, &c, 1), OK, "%s", err_last());
  cr_assert_geq(w->nsteps, 2);
  /* colour 0 takes all of colour 1 */
  memmove(w->step + 1, w->step + 2, sizeof *w->step * (size_t)(w->nsteps - 1));
  w->nsteps--;
  cr_assert_eq(rt_walk_check(w, 0, n, &c, 1), ERR_STATE);
  rt_walk_free(w);
  cr_assert_eq(rt_walk_make(&parts, &w), OK);
  cr_assert(w, "it pays");
  cr_assert_eq(rt_walk_check(w, 0, n, &c, 1), OK, "%s", err_last());
  idx_l border = w->task[3];
  w->piece[0].hi = w->piece[border].hi;
  w->piece[border].lo = w->piece[border].hi;
  for (idx_l i = w->task[1]; i < w->task[2]; i++)
    if (w->piece[i].lo == w->piece[border].hi)
      cr_assert_eq(rt_walk_check(w, 0, n, &c, 1), ERR_STATE);
  rt_walk_free(w);
}

static void
rows_free(struct rt_relation *r) {
  free((void *)r->table);
  free((void *)r->start);
}

Test(relation, any_kind_is_coloured_and_cut_and_checked) {
  struct rt_relation table = random_rows(&many, &few, 2, false, 3);
  struct rt_relation csr = random_rows(&many, &few, 5, true, 5);
  struct rt_relation inv, twice, back;
  cr_assert_eq(rt_relation_inverse(&csr, NULL, &inv), OK);
  cr_assert_eq(rt_relation_composed(&inv, &table, &twice), OK);
  cr_assert_eq(rt_relation_inverse(&twice, NULL, &back), OK);
  check_inverse(&table);
  check_inverse(&csr);
  check_inverse(&inv);
  check_inverse(&twice);
  check_conflict(&table, 0, 2);
  check_conflict(&table, 1, 1);
  check_conflict(&csr, 0, ALL);
  check_conflict(&csr, 1, 2);
  check_conflict(&inv, 0, ALL);
  check_conflict(&twice, 0, ALL);
  check_conflict(&back, 0, ALL);
  rt_relation_clear(&inv);
  rt_relation_clear(&twice);
  rt_relation_clear(&back);
  rows_free(&table);
  rows_free(&csr);
}

/* Several kinds at once: targets of one set are shared, whoever names them. */
Test(relation, conflicts_of_several_kinds_meet) {
  struct rt_relation table = random_rows(&many, &few, 2, false, 11), inv, two;
  struct rt_relation csr = random_rows(&many, &many, 3, true, 13);
  cr_assert_eq(rt_relation_composed(&csr, &table, &two), OK);
  cr_assert_eq(rt_relation_inverse(&csr, NULL, &inv), OK);
  struct rt_entries c[] = {{&table, 1, 1}, {&two, 0, ALL}, {&inv, 0, 2}};
  struct rt_walk_want wants[] = {make_colours(E, 32, c, 3, true),
                                 make_parts(E, 4, c, 3),
                                 make_colours(E, 4, c, 1, false)};
  for (int k = 0; k < 3; k++) {
    struct rt_walk *w;
    cr_assert_eq(rt_walk_make(&wants[k], &w), OK);
    if (w)
      cr_assert_eq(rt_walk_check(w, 0, E, c, 3), k < 2 ? OK : ERR_STATE, "%s",
                   err_last());
    rt_walk_free(w);
  }
  rt_relation_clear(&inv);
  rt_relation_clear(&two);
  rows_free(&table);
  rows_free(&csr);
}

/* Sets are numbered by rows of any length, those that name nobody come last. */
Test(relation, sets_are_numbered_by_csr_rows) {
  struct rt_relation csr = random_rows(&many, &few, 4, true, 17);
  const struct rt_relation *maps[] = {&csr};
  struct rt_mesh_set sets[] = {{.set = &many}, {.set = &few, .bytes = 8}};
  cr_assert_eq(rt_renumber(sets, 2, maps, 1, RT_RENUMBER_RCM), OK);
  cr_assert(sets[0].row && sets[1].row);
  char seen[E] = {0};
  for (idx_l e = 0; e < E; e++) {
    idx_l old = sets[0].row[e];
    cr_assert(old >= 0 && old < E && !seen[old]);
    seen[old] = 1;
    if (e && !rt_row(&csr, sets[0].row[e - 1]).n)
      cr_assert_eq(rt_row(&csr, old).n, 0);
  }
  free(sets[0].row);
  free(sets[1].row);
  rows_free(&csr);
}
