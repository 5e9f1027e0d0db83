/* Quick code that is replaced by what the optimiser makes of it. */
#include "test_lower.h"

#include "base/log.h"
#include "lower/job.h"
#include "lower/made.h"

#include <sys/wait.h>

/* b += 3 a on n elements, by a kernel of this name; two launches of one region.
 */
enum { N = 67 };
static void
case_init(struct lower_case *c, const char *kernel) {
  char text[600], source[200];
  double a[N];
  snprintf(text, sizeof text,
           "trace @t {\n set %%s n=%d\n dat %%a : %%s f64 x1\n"
           " dat %%b : %%s f64 x1\n kernel @%s\n"
           " %%b.1 = loop @%s over %%s (read %%a.0, rw %%b.0)\n"
           " %%b.2 = loop @%s over %%s (read %%a.0, rw %%b.1)\n"
           " live %%b.2\n}\n",
           N, kernel, kernel, kernel);
  snprintf(source, sizeof source,
           "void %s(const double *a, double *b) { *b += 3 * *a; }", kernel);
  for (int i = 0; i < N; i++) a[i] = i;
  lower_case_init(c, text, source);
  lower_case_passes(c, "fuse{max=1},storage");
  lower_case_dat(c, "a", a);
  lower_case_dat(c, "b", NULL);
  c->beside = 1;
  c->quick_most = 1;
}

static void
case_check(struct lower_case *c, int runs) {
  const double *b = lower_case_get(c, "b");
  for (int i = 0; i < N; i++) cr_assert_eq(b[i], 6. * runs * i, "at %d", i);
}

static void
case_end(struct lower_case *c) {
  low_tiers_finish();
  low_better_take();
  lower_case_clear(c);
  low_clear();
}

/* Whatever is made by now comes into the program, as between two flushes. */
static bool
renew(struct lower_case *c) {
  uint32_t was = low_better_number;
  low_better_take();
  low_better_renew(&c->lp);
  return low_better_number != was;
}

Test(lower_tiers, quick_code_runs_until_it_is_replaced) {
  struct lower_case c;
  case_init(&c, "k");
  lower_case_run(&c, 1);
  const struct rt_launch *l = c.lp.program->launches;
  rt_region_fn quick = l[0].fn;
  cr_assert_eq(l[1].fn, quick, "one region");
  cr_assert_eq(l[0].lanes, 1, "code for one element after another");
  cr_assert_eq(low_quick_regions, 1);
  cr_assert_eq(counters[CNT_compiles], 1);
  low_tiers_finish();
  low_better_take();
  cr_assert_eq(l[0].fn, quick, "nothing changes but when it asks");
  low_better_renew(&c.lp);
  cr_assert_neq(l[0].fn, quick);
  cr_assert_eq(l[1].fn, l[0].fn);
  cr_assert_gt(l[0].lanes, 1, "blocks");
  cr_assert_eq(low_quick_regions, 0);
  cr_assert_eq(counters[CNT_tiers], 1);
  lower_case_run(&c, 2);
  case_check(&c, 2);
  cr_assert_not(renew(&c), "all is done");
  case_end(&c);
}

Test(lower_tiers, a_region_without_a_program_is_forgotten) {
  struct lower_case c;
  case_init(&c, "k");
  lower_case_run(&c, 1);
  low_tiers_finish();
  low_sweep_end();
  cr_assert_eq(low_quick_regions, 0);
  long long was = counters[CNT_tiers];
  low_better_take();
  cr_assert_eq(counters[CNT_tiers], was, "nobody is there who would run it");
  lower_case_clear(&c);
  low_clear();
}

Test(lower_tiers, after_the_end_code_stays_as_it_is) {
  struct lower_case c[8];
  char name[8];
  for (int k = 0; k < 8; k++) {
    snprintf(name, sizeof name, "k%d", k);
    case_init(&c[k], name);
  }
  for (int k = 0; k < 8; k++) lower_case_run(&c[k], 1);
  low_tiers_end();
  low_better_take();
  cr_assert_eq(low_better_number, 0);
  cr_assert_eq(low_quick_regions, 8);
  for (int k = 0; k < 8; k++) {
    lower_case_run(&c[k], 1);
    case_check(&c[k], 2);
    lower_case_clear(&c[k]);
  }
  low_clear();
  cr_assert_eq(low_quick_regions, 0);
}

static void
shell(const char *command, const char *folder) {
  char text[200];
  snprintf(text, sizeof text, command, folder);
  cr_assert_eq(system(text), 0, "%s", text);
}

/* Kept is what is optimised; ranks share it. */
Test(lower_tiers, optimised_code_is_kept_on_disk) {
  char folder[] = "/tmp/op2-tiers-XXXXXX";
  cr_assert_not_null(mkdtemp(folder));
  for (int round = 0; round < 3; round++) {
    struct lower_case c;
    case_init(&c, "k");
    low_made_open("cpu", true);
    low_disk_open(folder, 1 << 20);
    low_disk_share(round == 1);
    lower_case_run(&c, 1);
    case_check(&c, 1);
    cr_assert_eq(low_quick_regions, !round);
    cr_assert_eq(counters[CNT_cache_loads], round);
    case_end(&c);
    low_disk_share(false);
    low_made_close();
    shell("[ $(find %s -name '*.op2' | wc -l) = 1 ]", folder);
  }
  shell("rm -r %s", folder);
}

/* Which has none of the parent's threads, and what these have not done. */
Test(lower_tiers, a_child_of_fork_goes_on) {
  struct lower_case c;
  case_init(&c, "k");
  lower_case_run(&c, 1);
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (!child) {
    low_tiers_finish();
    bool better = renew(&c);
    lower_case_run(&c, 1);
    low_tiers_end();
    _exit(better && low_quick_regions == 0 ? 0 : 1);
  }
  int how;
  cr_assert_eq(waitpid(child, &how, 0), child);
  cr_assert(WIFEXITED(how) && WEXITSTATUS(how) == 0);
  low_tiers_finish();
  cr_assert(renew(&c));
  lower_case_run(&c, 1);
  case_check(&c, 2);
  case_end(&c);
}

/* Programs that are made meanwhile run the same code. */
Test(lower_tiers, two_programs_of_one_region) {
  struct lower_case a, b;
  case_init(&a, "k");
  case_init(&b, "k");
  lower_case_run(&a, 1);
  lower_case_run(&b, 1);
  cr_assert_eq(counters[CNT_compiles], 1);
  cr_assert_eq(a.lp.program->launches->fn, b.lp.program->launches->fn);
  low_tiers_finish();
  low_better_take();
  low_better_renew(&a.lp);
  low_better_renew(&b.lp);
  cr_assert_eq(a.lp.program->launches->fn, b.lp.program->launches->fn);
  lower_case_run(&b, 1);
  case_check(&a, 1);
  case_check(&b, 2);
  lower_case_clear(&a);
  case_end(&b);
}

/* One thread takes one after the other, while the file that has them goes. */
Test(lower_tiers, a_file_with_kernels_may_go) {
  struct lower_case c;
  lower_case_init(
      &c,
      "trace @t {\n set %s n=9\n dat %a : %s f64 x1\n"
      " kernel @add\n kernel @twice\n kernel @less\n kernel @square\n"
      " %a.1 = loop @add over %s (rw %a.0)\n"
      " %a.2 = loop @twice over %s (rw %a.1)\n"
      " %a.3 = loop @less over %s (rw %a.2)\n"
      " %a.4 = loop @square over %s (rw %a.3)\n live %a.4\n}\n",
      "void add(double *a) { *a += 3; } void twice(double *a) { *a *= 2; }"
      "void less(double *a) { *a -= 1; } void square(double *a) { *a *= *a; }");
  lower_case_passes(&c, "fuse{max=1},storage");
  lower_case_dat(&c, "a", NULL);
  c.beside = 1;
  c.quick_most = 1;
  lower_case_run(&c, 1);
  cr_assert_eq(low_quick_regions, 4);
  memset(c.bitcode.s, 0, c.bitcode.len);
  low_tiers_finish();
  cr_assert(renew(&c));
  cr_assert_eq(counters[CNT_tiers], 4);
  lower_case_run(&c, 1);
  cr_assert_eq(lower_case_get(&c, "a")[8], 55. * 55,
               "(2 (25 + 3) - 1) squared");
  case_end(&c);
}

/* The model decides: what would take too long waits, and so does what it shares
 * with a program that did not. */
Test(lower_tiers, what_takes_long_is_optimised_at_once) {
  struct lower_case a, b;
  case_init(&a, "k");
  a.quick_most = 1e-9;
  lower_case_run(&a, 1);
  cr_assert_eq(low_quick_regions, 0);
  cr_assert_gt(a.lp.program->launches->lanes, 1);
  cr_assert_eq(a.lp.beside, 0);
  lower_case_clear(&a);
  low_clear();
  case_init(&a, "k");
  case_init(&b, "k");
  lower_case_run(&a, 1);
  cr_assert_eq(a.lp.beside, 1);
  cr_assert_eq(a.lp.program->launches->lanes, 1);
  b.beside = 0;
  lower_case_run(&b, 1);
  cr_assert_gt(b.lp.program->launches->lanes, 1);
  case_check(&a, 1);
  case_check(&b, 1);
  lower_case_clear(&a);
  case_end(&b);
}

/* A program that is renewed by a sweep runs behind it. */
Test(lower_tiers, a_sweep_renews) {
  struct lower_case c;
  case_init(&c, "k");
  lower_case_run(&c, 2);
  low_tiers_finish();
  low_better_take();
  for (int k = 0; k < 2; k++) {
    low_sweep_keep(&c.lp);
    low_sweep_end();
    rt_team_sweep();
    cr_assert_gt(c.lp.program->launches->lanes, 1);
    lower_case_run(&c, 2);
  }
  case_check(&c, 3);
  case_end(&c);
}
