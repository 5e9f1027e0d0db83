/* Code apart from running: the regions of a trace become files.
 *
 * The formats are one table; a target's first one is its own. Code for a device
 * is made for an architecture that the caller names, by the same functions that
 * make it for an open device (device.c), so that neither a card nor its driver
 * is asked for. Constants of the program are parameters: the code holds for all
 * their values. The index (generate_index.c) comes last; a folder without one
 * is not whole. */
#include "lower/generate.h"

#include "lower/device.h"
#include "lower/generate_index.h"
#include "lower/module.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- formats ------------------------------------------------------------- */

struct low_format {
  const char *name, *ending;
  enum target_kind target; /* of those on the host: any of these */
  enum rt_code_kind code;
  const char *arch; /* NULL: it has none */
  status (*host)(const struct low_region *r, struct str *code);
};

static status
host_object(const struct low_region *r, struct str *code) {
  struct low_code in_memory = {0};
  TRY(low_llvm_compile(r, &in_memory, code));
  low_code_clear(&in_memory);
  return OK;
}

static const struct low_format formats[] = {
    {"ptx", "ptx", TARGET_cuda, RT_CODE_PTX, "sm_80", NULL},
    {"spir", "bc", TARGET_opencl, RT_CODE_SPIR, NULL, NULL},
    {"spirv", "spv", TARGET_opencl, RT_CODE_SPIRV, NULL, NULL},
    {"llvm", "ll", TARGET_openmp, 0, NULL, low_llvm_ir},
    {"object", "o", TARGET_openmp, 0, NULL, host_object},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* What LLVM 19 makes PTX for, from those with atomic sums of doubles on. */
static const char *const archs[] = {"sm_60", "sm_61", "sm_62", "sm_70",
                                    "sm_72", "sm_75", "sm_80", "sm_86",
                                    "sm_87", "sm_89", "sm_90", "sm_90a"};
enum { ARCHS = sizeof archs / sizeof *archs };

const char *
low_generate_formats(void) {
  return "ptx[:sm_80], spir, spirv, llvm, object";
}

static bool
serves(const struct low_format *f, enum target_kind kind) {
  return f->host ? !target_info[kind].device : f->target == kind;
}

static const struct low_format *
format_named(const char *name, size_t len) {
  for (int k = 0; k < FORMATS; k++)
    if (strlen(formats[k].name) == len && !memcmp(formats[k].name, name, len))
      return &formats[k];
  return NULL;
}

static const struct low_format *
format_of(enum target_kind kind) {
  int k = 0;
  while (!serves(&formats[k], kind)) k++;
  return &formats[k];
}

static status
arch_find(const char *text, const char *arch, const char **out) {
  SCOPED_STR known = STR_INIT;
  for (int k = 0; k < ARCHS; k++) {
    if (!strcmp(archs[k], arch)) {
      *out = archs[k];
      return OK;
    }
    str_printf(&known, "%s%s", k ? ", " : "", archs[k]);
  }
  FAIL(ERR_TARGET,
       "target \"%s\": architecture \"%s\" is not known; there are %s, and "
       "later cards take sm_90",
       text, arch, known.s);
}

/* Behind the colon: a format of this target, or nothing that code depends on,
 * the number of a device. */
static void
read_format(const char *text, struct target t, const char **more,
            const struct low_format **f) {
  struct target numbered;
  const struct low_format *named = format_named(*more, strlen(*more));
  if (named && serves(named, t.kind)) *f = named;
  bool number = **more && target_parse(text, &numbered) == OK;
  if (*f == named || number) *more = "";
}

status
low_generate_find(const char *text, struct low_generate *out) {
  if (!text) FAIL(ERR_ARG, "target: expected a text, found NULL");
  size_t len = strcspn(text, ":");
  const char *more = text[len] ? text + len + 1 : "";
  const struct low_format *f = format_named(text, len);
  struct target t = {f ? f->target : TARGET_openmp, 0};
  if (!f) {
    SCOPED_STR head = STR_INIT;
    str_addn(&head, text, len);
    status s = target_parse(head.s, &t);
    if (s != OK)
      FAIL(s,
           "target \"%s\" is not known; there are seq, openmp, cuda and "
           "opencl, and the formats %s",
           text, low_generate_formats());
    f = format_of(t.kind);
    read_format(text, t, &more, &f);
  }
  bool host = t.kind == TARGET_openmp;
  *out = (struct low_generate){.format = f,
                               .target = host ? NULL : target_info[t.kind].name,
                               .arch = f->arch ? f->arch : "",
                               .device = target_info[t.kind].device,
                               .gpu = !f->host && f->code != RT_CODE_SPIR};
  if (!*more) return OK;
  if (f->arch) return arch_find(text, more, &out->arch);
  FAIL(ERR_TARGET, "target \"%s\": \"%s\" is no format of %s; there are %s",
       text, more, target_info[t.kind].name, low_generate_formats());
}

/* ---- a region ------------------------------------------------------------ */

struct output {
  const struct low_generate *g;
  const char *folder;
  struct str index;
  uint32_t n; /* regions so far */
};

static status
write_file(const struct output *out, const char *name, const struct str *text) {
  SCOPED_STR path = STR_INIT;
  str_printf(&path, "%s/%s", out->folder, name);
  int bad = str_write_file(text, path.s);
  return bad ? err_set(ERR_IO, "%s: %s", path.s, strerror(bad)) : OK;
}

/* "03-res_calc+update.ptx": loops have any names, files have not. */
static void
file_name(const struct output *out, const struct low_region *r,
          struct str *name) {
  enum { LONGEST = 100 };
  str_printf(name, "%02u-%.*s.%s", out->n, LONGEST, r->name,
             out->g->format->ending);
  for (char *c = name->s; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("_+-.", *c)) *c = '_';
}

static status
device_code(const struct low_generate *g, struct low_indexed *x,
            struct str *code) {
  struct low_device_form *f = x->form;
  const char *why = low_device_why_not(x->r);
  if (why) FAIL(ERR_COMPILE, "it cannot run on %s: %s", g->target, why);
  *f = (struct low_device_form){.kind = g->format->code, .arch = g->arch};
  low_form_make(x->r, x->arena, f, x->offload);
  return low_llvm_device(x->r, f, code);
}

static status
region_make(const struct output *out, struct low_indexed *x, struct str *code) {
  const struct ir_node *n = &x->m->t->nodes[x->nodes.first];
  status s = out->g->device ? device_code(out->g, x, code)
                            : out->g->format->host(x->r, code);
  if (s == OK) return OK;
  return err_prefix(s, "%s:%d: loop %s: ", n->file ? n->file : "?", n->line,
                    x->r->name);
}

static status
region_out(void *user, const struct low_maker *m, struct low_span nodes,
           const struct low_region *r) {
  struct output *out = user;
  SCOPED_STR code = STR_INIT, name = STR_INIT;
  SCOPED_BY(arena_clear) struct arena arena = {0};
  SCOPED_BY(low_offload_clear) struct rt_offload offload = {0};
  struct low_device_form form;
  struct low_indexed x = {.m = m, .nodes = nodes, .r = r, .arena = &arena};
  if (out->g->device) x.form = &form, x.offload = &offload;
  TRY(region_make(out, &x, &code));
  file_name(out, r, &name);
  TRY(write_file(out, name.s, &code));
  x.file = name.s;
  if (out->n++) str_add(&out->index, ",\n");
  low_index_region(&x, &out->index);
  return OK;
}

/* ---- all ----------------------------------------------------------------- */

static status
folder_make(const char *folder) {
  struct stat is;
  if (!mkdir(folder, 0777)) return OK;
  int bad = errno;
  if (bad == EEXIST && !stat(folder, &is) && S_ISDIR(is.st_mode)) return OK;
  FAIL(ERR_IO, "cannot make folder %s: %s", folder, strerror(bad));
}

/* No index of another time stands beside files of this one. */
static status
index_forget(const struct output *out) {
  SCOPED_STR path = STR_INIT;
  str_printf(&path, "%s/%s", out->folder, LOW_INDEX);
  if (remove(path.s) && errno != ENOENT)
    FAIL(ERR_IO, "%s: %s", path.s, strerror(errno));
  return OK;
}

static status
trace_out(const struct output *out, const struct ir_trace *t) {
  SCOPED_STR text = STR_INIT;
  ir_print(t, &text);
  return write_file(out, LOW_INDEX_TRACE, &text);
}

static void
index_begin(struct output *out) {
  const struct low_generate *g = out->g;
  const char *target = g->target ? g->target : target_info[TARGET_openmp].name;
  str_printf(&out->index, "{\"target\": \"%s\", \"format\": \"%s\"", target,
             g->format->name);
  if (*g->arch) str_printf(&out->index, ", \"arch\": \"%s\"", g->arch);
  str_printf(&out->index, ", \"trace\": \"%s\",\n \"regions\": [\n",
             LOW_INDEX_TRACE);
}

status
low_generate(const struct ir_trace *t, const struct low_env *env,
             const struct low_generate *g, const char *folder) {
  assert(g->format && !env->constant);
  struct output out = {.g = g, .folder = folder, .index = STR_INIT};
  TRY(folder_make(folder));
  TRY(index_forget(&out));
  index_begin(&out);
  status s = low_regions_each(t, env, region_out, &out);
  if (s == OK) s = trace_out(&out, t);
  str_add(&out.index, "]}\n");
  if (s == OK) s = write_file(&out, LOW_INDEX, &out.index);
  str_clear(&out.index);
  return s;
}
