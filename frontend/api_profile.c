/* op_profile: a tree of named wall-clock sections.
 *
 * Problem. A section measures the time between its enter and its exit, but
 * loops run later than they are called, often in another section.
 *
 * Idea. The level decides. At 1 (default) nothing is disturbed: a section's
 * time is what the program spent there, and loops count where something waits
 * for them. At 2 and 3 pending loops run at each boundary, so that their time
 * falls into the section that called them; loops of different sections are then
 * never fused.
 *
 *   level   op_profile_enter   op_profile_enter_kernel   enter inside a kernel
 *     0          -                     -                        -
 *     1        counted                 -                        -
 *     2        counted              counted                     -
 *     3        counted              counted                  counted
 *
 * Cost. A look-up among the siblings and two clock readings per section.
 */
#include "frontend/context.h"
#include "frontend/ranks.h"

#include "base/counters.h"
#include "base/log.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct section {
  const char *name;
  bool kernel;
  long long calls;
  double total, min, max; /* seconds */
  double entered;         /* clock at the last enter */
  struct section *parent, *child, *sibling;
};

static struct profile {
  int level;
  bool on; /* started and not ended */
  struct section *root, *current;
  unsigned uncounted; /* open sections below what the level counts */
  struct arena arena;
} profile;

/* ---- enter and exit ------------------------------------------------------ */

static void
section_begin(struct section *s) {
  profile.current = s;
  s->entered = timer_wall();
}

static void
section_end(void) {
  struct section *s = profile.current;
  double t = timer_wall() - s->entered;
  s->min = s->calls && s->min < t ? s->min : t;
  s->max = s->calls && s->max > t ? s->max : t;
  s->total += t;
  s->calls++;
  profile.current = s->parent;
}

/* The child of that name, made if there is none; order of first entry. */
static struct section *
child_get(const char *name, bool kernel) {
  struct section **at = &profile.current->child;
  for (; *at; at = &(*at)->sibling)
    if ((*at)->kernel == kernel && !strcmp((*at)->name, name)) return *at;
  struct section *s = ARENA_NEW(&profile.arena, struct section);
  s->name = arena_str(&profile.arena, name);
  s->kernel = kernel;
  s->parent = profile.current;
  return *at = s;
}

/* Level 2 and above: what was called in this section counts for it. */
static void
boundary(void) {
  if (profile.level < 2 || !fe.up || !fe_enter("op_profile")) return;
  status st = fe_run_for_call();
  if (st != OK) fe_error(st);
}

static void
enter(const char *api, const char *name, bool kernel) {
  if (!name) {
    fe_error(err_set(ERR_ARG, "%s: name: expected a text, found NULL", api));
    return;
  }
  bool inside = profile.current->kernel;
  int needs = inside ? 3 : kernel ? 2 : 1;
  if (profile.uncounted || profile.level < needs) {
    profile.uncounted++;
    return;
  }
  boundary();
  section_begin(child_get(name, kernel));
}

static int
level_from_env(void) {
  const char *text = getenv("OP_PROFILE_LEVEL");
  char *end;
  if (!text || !*text) return 1;
  long v = strtol(text, &end, 10);
  if (!*end && v >= 0 && v <= 3) return (int)v;
  LOG_WARN("OP_PROFILE_LEVEL=%s: expected 0 to 3, taken as 1", text);
  return 1;
}

void
op_profile_start(const char *name) {
  arena_clear(&profile.arena);
  profile = (struct profile){.level = level_from_env()};
  if (!profile.level) return;
  if (fe.up) fe_agree_step("op_profile_start", NULL, (uint64_t)profile.level);
  profile.root = ARENA_NEW(&profile.arena, struct section);
  profile.root->name = arena_str(&profile.arena, name ? name : "program");
  profile.on = true;
  section_begin(profile.root);
}

void
op_profile_enter(const char *name) {
  if (profile.on) enter("op_profile_enter", name, false);
}

void
op_profile_enter_kernel(const char *name, const char *target,
                        const char *variant) {
  if (!profile.on) return;
  SCOPED_STR full = STR_INIT;
  if (name)
    str_printf(&full, "%s (%s, %s)", name, target ? target : "",
               variant ? variant : "");
  enter("op_profile_enter_kernel", name ? full.s : NULL, true);
}

void
op_profile_exit(void) {
  if (!profile.on) return;
  if (profile.uncounted) {
    profile.uncounted--;
  } else if (profile.current == profile.root) {
    fe_error(err_set(ERR_STATE, "op_profile_exit: no section is open"));
  } else {
    boundary();
    section_end();
  }
}

void
op_profile_next(const char *name) {
  op_profile_exit();
  op_profile_enter(name);
}

void
op_profile_end(void) {
  if (!profile.on) return;
  boundary();
  profile.uncounted = 0;
  while (profile.current) section_end();
  profile.on = false;
}

/* ---- output -------------------------------------------------------------- */

/* Called before a section's children and after them. */
struct visitor {
  void (*before)(struct str *b, const struct section *s, int depth);
  void (*after)(struct str *b, const struct section *s);
};

/* The tree in order, without recursion: up along `parent`. */
static void
walk(struct str *b, struct visitor v) {
  const struct section *s = profile.root;
  int depth = 0;
  while (s) {
    v.before(b, s, depth);
    if (s->child) {
      s = s->child;
      depth++;
      continue;
    }
    if (v.after) v.after(b, s);
    while (s && !s->sibling) {
      s = s->parent;
      depth--;
      if (s && v.after) v.after(b, s);
    }
    if (s) s = s->sibling;
  }
}

static void
row(struct str *b, const struct section *s, int depth) {
  double whole = s->parent ? s->parent->total : s->total;
  double share = whole > 0 ? 100 * s->total / whole : 0;
  str_printf(b, "%8lld %12.6f %12.6f %12.6f %6.1f  %*s%s\n", s->calls, s->total,
             s->min, s->max, share, 2 * depth, "", s->name);
}

void
op_profile_output(void) {
  struct str b = STR_INIT;
  if (!profile.root) return;
  str_add(&b, "\n   calls    total (s)          min          max      %  "
              "section\n");
  walk(&b, (struct visitor){row, NULL});
  if (op_is_root()) fputs(b.s, stdout);
  str_clear(&b);
  if (profile.level >= 2 && fe.up) op_timing_output();
  const char *path = getenv("OP_PROFILE_JSON_OUTPUT");
  if (path && *path) op_profile_output_json(path);
}

static void
json_open(struct str *b, const struct section *s, int depth) {
  bool first = !s->parent || s->parent->child == s;
  str_printf(b, "%s\n%*s{\"name\": ", first ? "" : ",", 2 * depth, "");
  str_json(b, s->name);
  str_printf(b,
             ", \"kernel\": %s, \"calls\": %lld, \"total\": %.9f, "
             "\"min\": %.9f, \"max\": %.9f, \"children\": [",
             s->kernel ? "true" : "false", s->calls, s->total, s->min, s->max);
}

static void
json_close(struct str *b, const struct section *s) {
  (void)s;
  str_add(b, "]}");
}

static status
write_json(const char *path) {
  if (!path)
    FAIL(ERR_ARG, "op_profile_output_json: expected a file name, found NULL");
  if (!op_is_root()) return OK;
  SCOPED_STR b = STR_INIT;
  walk(&b, (struct visitor){json_open, json_close});
  str_add(&b, "\n");
  int err = str_write_file(&b, path);
  if (err)
    FAIL(ERR_IO, "op_profile_output_json: cannot write \"%s\": %s", path,
         strerror(err));
  return OK;
}

void
op_profile_output_json(const char *file_name) {
  if (!profile.root) return;
  status st = write_json(file_name);
  if (st != OK) fe_error(st);
}

/* ---- counters ------------------------------------------------------------ */

long long
op2_counter(const char *name) {
  return name ? counter_get(name) : -1;
}

void
op2_counters_reset(void) {
  counters_reset();
}
