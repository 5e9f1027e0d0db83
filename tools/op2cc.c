/* op2cc, op2c++: the compiler, plus the kernels' IR in each object file.
 *
 *   CC=op2cc CXX=op2c++ make        OMPI_CC=op2cc mpicc ...
 *
 * Stands in for clang: same options, messages, exit status. What differs: a C
 * or C++ source is compiled in two steps with a look between them,
 *
 *   clang -c -emit-llvm, no passes     the user's options, front end only
 *   low_embed_file                     add kernels' bitcode, table, constructor
 *   clang -x ir -c                     passes and code, the user's options
 *
 * Under -O0 the first step runs with -O2 all the same, since -O0 marks every
 * function as not to be optimised; __OPTIMIZE__ stays undefined then.
 * The library's headers come behind the user's folders; a link gets the library,
 * if it is needed, and where it lies. `-showme`, as mpicc has it, prints the
 * command; `-showme:compile` and `-showme:link` print what is added.
 *
 * `--bundle=FOLDER` links what a run kept in that folder of the cache into the
 * program (tools/cc/bundle.c).
 *
 * Everything that is no such compilation (preprocessing, linking, other
 * languages, coverage) goes to clang as it is. If the step between fails, the
 * file is compiled plainly, and this is said: its kernels are opaque then.
 *
 * A loop whose kernel leaves its arguments (blob_beyond.c) is an error.
 *
 * Reads of dat->data get a look before them. Where the pointer is kept, this is
 * a warning (-w turns it off): loops that use the dat run at their call then.
 */
#include "base/arena.h"
#include "base/str.h"
#include "include/op2.h"
#include "lower/llvm/bitcode.h"
#include "tools/cc/bundle.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#ifndef OP2_CLANG
#define OP2_CLANG "clang-19"
#endif

/* What an argument is, for the commands made from it. */
enum arg_class {
  ARG_OPTION, /* to every step */
  ARG_LINK,   /* to the linker only: -l, other inputs */
  ARG_DEPS,   /* -MD and its kin: to the front end only */
  ARG_SOURCE, /* a C or C++ file that is compiled here */
  ARG_OWN     /* -c -S -o -x: each step has its own */
};

struct words {
  const char **v;
  size_t n, cap;
};

struct source {
  size_t arg;       /* its position */
  const char *lang; /* by -x; NULL: by its ending */
  const char *object;
};

struct job {
  struct arena arena;
  struct words args;
  enum arg_class *classes;
  const char **langs; /* of inputs under -x; else NULL */
  struct source *sources;
  struct words bundles; /* folders */
  size_t nsources, capsources;
  const char *output, *stop; /* of -o; "-c", "-S" or NULL */
  const char *include, *lib; /* folders of the library; NULL: not found */
  const char *show;          /* of -showme: what is behind it; NULL: none */
  const char *bundle;        /* object of the bundles; NULL: none */
  bool cxx, plain, debug, quiet, level0, deps, deps_file, deps_target;
  bool input, compiles, no_link; /* a file; from source; nothing to link */
};

/* ---- tables -------------------------------------------------------------- */

/* Options whose value is the next argument. */
static const char *const takes_value[] = {"-I",
                                          "-D",
                                          "-U",
                                          "-L",
                                          "-F",
                                          "-include",
                                          "-imacros",
                                          "-isystem",
                                          "-iquote",
                                          "-idirafter",
                                          "-iprefix",
                                          "-iwithprefix",
                                          "-iwithprefixbefore",
                                          "-isysroot",
                                          "-include-pch",
                                          "-Xclang",
                                          "-Xassembler",
                                          "-Xpreprocessor",
                                          "-Xanalyzer",
                                          "-target",
                                          "-arch",
                                          "-mllvm",
                                          "-B",
                                          "-b",
                                          "--param",
                                          "-G",
                                          "-V",
                                          "--sysroot",
                                          "-resource-dir",
                                          "-ivfsoverlay",
                                          "-cxx-isystem",
                                          "-working-directory",
                                          "-dumpdir",
                                          "-Xopenmp-target",
                                          "--config"};
static const char *const takes_value_link[] = {
    "-l", "-Xlinker", "-T", "-u", "-z", "-e", "-rpath", "-framework"};
static const char *const takes_value_deps[] = {"-MF", "-MT", "-MQ", "-MJ"};

/* With one of these there is nothing to embed into, or a second file is written
 * whose name follows from the command. */
static const char *const plain_options[] = {"-E",
                                            "-M",
                                            "-MM",
                                            "-fsyntax-only",
                                            "-emit-llvm",
                                            "-emit-ast",
                                            "--analyze",
                                            "-###",
                                            "--coverage",
                                            "-coverage",
                                            "-fprofile-arcs",
                                            "-ftest-coverage",
                                            "-save-temps",
                                            "--save-temps",
                                            "-m32",
                                            "-mx32",
                                            "-gsplit-dwarf",
                                            "--precompile",
                                            "-rewrite-objc"};

#define BUNDLE_OPTION "--bundle="

/* With one of these nothing is linked, or not with a shared library. */
static const char *const no_link_options[] = {"-E",
                                              "-M",
                                              "-MM",
                                              "-fsyntax-only",
                                              "-emit-llvm",
                                              "-emit-ast",
                                              "--analyze",
                                              "--precompile",
                                              "-c",
                                              "-S",
                                              "-r",
                                              "-static",
                                              "-static-pie",
                                              "-nostdlib",
                                              "-nodefaultlibs",
                                              "-rewrite-objc",
                                              "-m32",
                                              "-mx32"};

static const char *const c_endings[] = {".c", ".i"};
static const char *const cxx_endings[] = {".cc",  ".cp", ".cxx", ".cpp", ".CPP",
                                          ".c++", ".C",  ".CC",  ".CXX", ".ii"};
static const char *const languages[] = {"c", "c++", "cpp-output",
                                        "c++-cpp-output"};

#define IN_TABLE(table, s) in_table(table, sizeof(table) / sizeof *(table), s)
static bool
in_table(const char *const *table, size_t n, const char *s) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(table[i], s)) return true;
  return false;
}

static bool
starts(const char *s, const char *prefix) {
  return !strncmp(s, prefix, strlen(prefix));
}

/* ---- temporary files ----------------------------------------------------- */

static char temp_dir[4096]; /* "" until made; the exit handler needs it */
static size_t temp_files;
static volatile sig_atomic_t stopped_by;

static const char *
temp_name(struct job *j, size_t number, const char *ending) {
  return arena_printf(&j->arena, "%s/%zu%s", temp_dir, number, ending);
}

static void
temp_clean(void) {
  static const char *const endings[] = {".bc", ".o", ".op2.bc", ".entries",
                                        ".c"};
  struct job j = {0};
  if (!*temp_dir) return;
  for (size_t i = 0; i < temp_files; i++)
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
      unlink(temp_name(&j, i, endings[k]));
  rmdir(temp_dir);
  arena_clear(&j.arena);
}

static void
temp_stop(int signal) {
  stopped_by = signal;
}

static bool
temp_open(void) {
  const char *tmp = getenv("TMPDIR");
  int n = snprintf(temp_dir, sizeof temp_dir, "%s/op2cc.XXXXXX",
                   tmp && *tmp ? tmp : "/tmp");
  if (n >= (int)sizeof temp_dir || !mkdtemp(temp_dir)) {
    *temp_dir = 0;
    return false;
  }
  atexit(temp_clean);
  struct sigaction a = {.sa_handler = temp_stop};
  sigaction(SIGINT, &a, NULL);
  sigaction(SIGTERM, &a, NULL);
  sigaction(SIGHUP, &a, NULL);
  return true;
}

/* ---- arguments ----------------------------------------------------------- */

static void
words_add(struct words *w, const char *s) {
  VEC_PUSH(w->v, w->n, w->cap, s);
}

/* One word of a response file: blanks separate, '\' and quotes protect. */
static const char *
response_word(const char *s, struct str *word) {
  char quote = 0;
  for (; *s && (quote || !strchr(" \t\r\n\f\v", *s)); s++) {
    if (*s == '\\' && s[1] && quote != '\'')
      str_addn(word, ++s, 1);
    else if (quote ? *s == quote : *s == '"' || *s == '\'')
      quote = quote ? 0 : *s;
    else
      str_addn(word, s, 1);
  }
  return s;
}

static void args_add(struct job *j, const char *arg, int depth);

static bool
args_response(struct job *j, const char *path, int depth) {
  struct str text = STR_INIT, word = STR_INIT;
  if (depth > 16 || str_read_file(&text, path)) {
    str_clear(&text);
    return false;
  }
  const char *s = text.s;
  while (*(s += strspn(s, " \t\r\n\f\v"))) {
    str_reset(&word);
    s = response_word(s, &word);
    args_add(j, arena_str(&j->arena, word.s), depth + 1);
  }
  str_clear(&text);
  str_clear(&word);
  return true;
}

/* Depth bounds response files that name each other. */
static void
args_add(struct job *j, const char *arg, int depth) {
  if (*arg != '@' || !args_response(j, arg + 1, depth))
    words_add(&j->args, arg);
}

static bool
arg_is_source(const struct job *j, const char *arg, const char *lang) {
  if (lang) return IN_TABLE(languages, lang);
  const char *dot = strrchr(arg, '.');
  (void)j;
  return dot && !strchr(dot, '/') &&
         (IN_TABLE(c_endings, dot) || IN_TABLE(cxx_endings, dot));
}

static void
arg_input(struct job *j, size_t i, const char *lang) {
  const char *arg = j->args.v[i];
  j->classes[i] = ARG_LINK;
  j->langs[i] = lang;
  j->input = true;
  if (!strcmp(arg, "-")) j->plain = j->compiles = true;
  if (!arg_is_source(j, arg, lang)) return;
  j->compiles = true;
  j->classes[i] = ARG_SOURCE;
  struct source s = {.arg = i, .lang = lang};
  VEC_PUSH(j->sources, j->nsources, j->capsources, s);
}

static void
arg_debug(struct job *j, const char *arg) {
  static const char *const on[] = {"-ggdb", "-gdwarf", "-gline-", "-gmlt"};
  if (!strcmp(arg, "-g0") || !strcmp(arg, "-ggdb0")) {
    j->debug = false;
    return;
  }
  bool level = !arg[2] || (strchr("123", arg[2]) && !arg[3]);
  for (size_t i = 0; i < sizeof on / sizeof *on; i++)
    level |= starts(arg, on[i]);
  j->debug |= level;
}

static enum arg_class
arg_deps(struct job *j, const char *arg) {
  j->deps |=
      !strcmp(arg, "-MD") || !strcmp(arg, "-MMD") || starts(arg, "-Wp,-M");
  j->deps_file |=
      starts(arg, "-MF") || starts(arg, "-Wp,-MD,") || starts(arg, "-Wp,-MMD,");
  j->deps_target |= starts(arg, "-MT") || starts(arg, "-MQ");
  return ARG_DEPS;
}

/* An option without, or with its value in, this argument. */
static enum arg_class
arg_option(struct job *j, const char *arg) {
  if (IN_TABLE(plain_options, arg) || starts(arg, "-print-") ||
      starts(arg, "-save-temps="))
    j->plain = true;
  if (IN_TABLE(no_link_options, arg)) j->no_link = true;
  if (starts(arg, "-showme") && (!arg[7] || arg[7] == ':')) {
    j->show = arg + 7;
    return ARG_OWN;
  }
  if (starts(arg, BUNDLE_OPTION)) {
    words_add(&j->bundles, arg + sizeof BUNDLE_OPTION - 1);
    return ARG_OWN;
  }
  if (starts(arg, "-O")) j->level0 = !strcmp(arg, "-O0");
  if (starts(arg, "-g")) arg_debug(j, arg);
  if (!strcmp(arg, "-w")) j->quiet = true;
  if (starts(arg, "-M") || starts(arg, "-Wp,-M")) return arg_deps(j, arg);
  if (starts(arg, "-l") || starts(arg, "-Wl,")) return ARG_LINK;
  if (!strcmp(arg, "-c") || !strcmp(arg, "-S")) {
    if (!j->stop || *arg == 'S') j->stop = arg;
    return ARG_OWN;
  }
  return ARG_OPTION;
}

/* Classify the option at i; returns how many arguments it takes. */
static size_t
arg_classify(struct job *j, size_t i, const char **lang) {
  const char *arg = j->args.v[i];
  const char *value = i + 1 < j->args.n ? j->args.v[i + 1] : NULL;
  size_t n = 2;
  if (!strcmp(arg, "-x") || !strcmp(arg, "-o")) {
    j->classes[i] = ARG_OWN;
    if (arg[1] == 'o') j->output = value;
    if (arg[1] == 'x') *lang = value && strcmp(value, "none") ? value : NULL;
  } else if (starts(arg, "-x")) {
    j->classes[i] = ARG_OWN;
    *lang = strcmp(arg, "-xnone") ? arg + 2 : NULL;
    n = 1;
  } else if (starts(arg, "-o") && strcmp(arg, "-object")) {
    j->classes[i] = ARG_OWN;
    j->output = arg + 2;
    n = 1;
  } else if (IN_TABLE(takes_value, arg)) {
    j->classes[i] = ARG_OPTION;
  } else if (IN_TABLE(takes_value_link, arg)) {
    j->classes[i] = ARG_LINK;
  } else if (IN_TABLE(takes_value_deps, arg)) {
    j->classes[i] = arg_deps(j, arg);
  } else {
    j->classes[i] = arg_option(j, arg);
    n = 1;
  }
  if (!value) n = 1;
  if (n == 2) j->classes[i + 1] = j->classes[i];
  return n;
}

static void
args_read(struct job *j) {
  const char *lang = NULL;
  bool options = true;
  j->level0 = true;
  j->classes = ARENA_ARRAY(&j->arena, enum arg_class, j->args.n);
  j->langs = ARENA_ARRAY(&j->arena, const char *, j->args.n);
  for (size_t i = 0, n; i < j->args.n; i += n) {
    const char *arg = j->args.v[i];
    n = 1;
    if (options && *arg == '-' && arg[1]) {
      if (strcmp(arg, "--"))
        n = arg_classify(j, i, &lang);
      else
        options = false, j->classes[i] = ARG_OWN;
    } else {
      arg_input(j, i, lang);
    }
  }
  bool split = j->stop && j->output && j->nsources > 1; /* clang's error */
  if (!j->nsources || split || (j->output && !strcmp(j->output, "-")))
    j->plain = true;
}

/* ---- the library ----------------------------------------------------------- */

static bool
folder_has(const char *folder, const char *file) {
  char path[8192];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return !access(path, R_OK);
}

/* Beside this program in a build, else in the same prefix. */
static void
library_find(struct job *j) {
  char self[4096], here[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return;
  self[n] = 0;
  *strrchr(self, '/') = 0;
  const char *lib = self, *include = OP2_SOURCE_INCLUDE;
  if (!folder_has(self, "libop2lazy.so")) {
    lib = arena_printf(&j->arena, "%s/" OP2_BIN_TO_LIB, self);
    include = arena_printf(&j->arena, "%s/" OP2_BIN_TO_INCLUDE, self);
  }
  if (folder_has(lib, "libop2lazy.so") && realpath(lib, here))
    j->lib = arena_str(&j->arena, here);
  if (folder_has(include, "op2.h") && realpath(include, here))
    j->include = arena_str(&j->arena, here);
}

static void
words_many(struct words *w, const char *const *v) {
  for (; *v; v++) words_add(w, *v);
}

/* Behind the user's own folders. */
static void
library_compile(struct job *j, struct words *w) {
  if (j->include) words_add(w, arena_printf(&j->arena, "-I%s", j->include));
}

static void
library_link(struct job *j, struct words *w) {
  static const char *const none[] = {"-x", "none", NULL};
  if (j->bundle) {
    words_many(w, none);
    words_add(w, j->bundle);
  }
  if (!j->lib) return;
  words_add(w, arena_printf(&j->arena, "-L%s", j->lib));
  words_add(w, arena_printf(&j->arena, "-Wl,-rpath,%s", j->lib));
  words_add(w, "-Wl,--push-state,--as-needed");
  words_add(w, "-lop2lazy");
  words_add(w, "-lm");
  words_add(w, "-Wl,--pop-state");
}

/* ---- commands ------------------------------------------------------------ */

static void
command_start(const struct job *j, struct words *w) {
  words_add(w, OP2_CLANG);
  if (j->cxx) words_add(w, "--driver-mode=g++");
}

static void
command_options(const struct job *j, struct words *w, bool deps) {
  for (size_t i = 0; i < j->args.n; i++)
    if (j->classes[i] == ARG_OPTION || (deps && j->classes[i] == ARG_DEPS))
      words_add(w, j->args.v[i]);
}

static void
command_source(const struct job *j, struct words *w, const struct source *s) {
  if (s->lang) {
    words_add(w, "-x");
    words_add(w, s->lang);
  }
  words_add(w, j->args.v[s->arg]);
}

/* Run and wait; the exit status as a shell gives it. */
static int
command_run(struct words *w) {
  pid_t pid;
  int rc = 0;
  words_add(w, NULL);
  int bad = posix_spawnp(&pid, w->v[0], NULL, NULL, (char **)w->v, environ);
  if (bad) {
    fprintf(stderr, "op2cc: cannot run %s: %s\n", w->v[0], strerror(bad));
    rc = 127 << 8;
  } else {
    while (waitpid(pid, &rc, 0) < 0 && errno == EINTR) continue;
  }
  free(w->v);
  if (stopped_by) return 128 + stopped_by;
  return WIFEXITED(rc) ? WEXITSTATUS(rc) : 128 + WTERMSIG(rc);
}

/* base name of `path` with another ending */
static const char *
name_with(struct job *j, const char *path, const char *ending, bool keep_dir) {
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
  int len = (int)(dot ? (size_t)(dot - base) : strlen(base));
  int dir = keep_dir ? (int)(base - path) : 0;
  return arena_printf(&j->arena, "%.*s%.*s%s", dir, path, len, base, ending);
}

/* The dependency file's name and target, which clang derives from -o. */
static void
command_deps(struct job *j, struct words *w, const struct source *s) {
  const char *path = j->args.v[s->arg];
  if (!j->deps) return;
  if (!j->deps_file) {
    words_add(w, "-MF");
    words_add(w, name_with(j, j->output ? j->output : path, ".d",
                           j->output != NULL));
  }
  if (!j->deps_target) {
    words_add(w, "-MQ");
    words_add(w, j->output ? j->output : name_with(j, path, ".o", false));
  }
}

/* ---- one source ---------------------------------------------------------- */

static bool
source_is_cxx(const struct job *j, const struct source *s) {
  if (s->lang) return starts(s->lang, "c++");
  const char *dot = strrchr(j->args.v[s->arg], '.');
  return j->cxx || !dot || IN_TABLE(cxx_endings, dot);
}

static int
source_front(struct job *j, const struct source *s, const char *bitcode) {
  static const char *const level[] = {"-O2", "-U__OPTIMIZE__", NULL};
  static const char *const stop[] = {"-Qunused-arguments",
                                     "-Xclang",
                                     "-disable-llvm-passes",
                                     "-c",
                                     "-emit-llvm",
                                     "-o",
                                     NULL};
  struct words w = {0};
  command_start(j, &w);
  command_options(j, &w, true);
  library_compile(j, &w);
  if (j->level0) words_many(&w, level);
  /* C says nothing of a kernel's types to the library but by these */
  if (!j->debug)
    words_add(&w, source_is_cxx(j, s) ? "-gline-tables-only" : "-g");
  command_deps(j, &w, s);
  words_many(&w, stop);
  words_add(&w, bitcode);
  command_source(j, &w, s);
  return command_run(&w);
}

static int
source_back(struct job *j, const struct source *s, const char *bitcode) {
  struct words w = {0};
  command_start(j, &w);
  command_options(j, &w, false);
  words_add(&w, "-Qunused-arguments");
  words_add(&w, "-Wno-unknown-warning-option");
  words_add(&w, j->stop ? j->stop : "-c");
  words_add(&w, "-o");
  words_add(&w, s->object);
  words_add(&w, "-x");
  words_add(&w, "ir");
  words_add(&w, bitcode);
  return command_run(&w);
}

/* The front end has had its say: no warning twice. looked: all that the file does
 * with dat->data is known, so that it leaves no mark. */
static int
source_plain(struct job *j, const struct source *s, bool looked) {
  struct words w = {0};
  command_start(j, &w);
  command_options(j, &w, true);
  library_compile(j, &w);
  if (looked) words_add(&w, "-DOP2_CALLS_ONLY");
  command_deps(j, &w, s);
  words_add(&w, j->stop ? j->stop : "-c");
  words_add(&w, "-w");
  words_add(&w, "-Qunused-arguments");
  words_add(&w, "-o");
  words_add(&w, s->object);
  command_source(j, &w, s);
  return command_run(&w);
}

static void
source_warn(const struct job *j, const struct low_embedded *e) {
  for (uint32_t i = 0; !j->quiet && i < e->npeeks; i++)
    if (e->peeks[i].kind == OP2_LOOK_HOLD)
      fprintf(stderr,
              "%s:%d: warning: keeps the pointer dat->data; from here on loops "
              "that use the dat will run at their call; read dat->data anew "
              "after loops, and hand it on by op2_dat_data, to keep them "
              "deferred\n",
              e->peeks[i].file, e->peeks[i].line);
}

/* REFUSED: there is no program to be made of it. */
enum embed_result { EMBED_DONE, EMBED_NOTHING, EMBED_FAILED, EMBED_REFUSED };

static enum embed_result
embed_here(const struct job *j, const struct low_embed *in) {
  struct low_embedded e;
  enum embed_result r = EMBED_FAILED;
  if (low_embed_file(in, &e) == OK) {
    source_warn(j, &e);
    r = e.bitcode_bytes || e.npeeks || e.nowed ? EMBED_DONE : EMBED_NOTHING;
    if (e.refused.len) r = EMBED_REFUSED;
    fputs(e.refused.s, stderr);
  } else {
    fprintf(stderr, "op2cc: %s: %s\n", in->source, err_last());
  }
  low_embedded_clear(&e);
  return r;
}

/* In a process of its own: whatever happens in there, the build goes on. */
static enum embed_result
embed_apart(const struct job *j, const struct low_embed *in) {
  int rc;
  pid_t pid = fork();
  if (pid < 0) return embed_here(j, in);
  if (!pid) {
    enum embed_result r = embed_here(j, in);
    fflush(stderr);
    _exit((int)r);
  }
  while (waitpid(pid, &rc, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(rc) && WEXITSTATUS(rc) <= EMBED_REFUSED)
    return (enum embed_result)WEXITSTATUS(rc);
  fprintf(stderr, "op2cc: %s: looking for kernels failed\n", in->source);
  return EMBED_FAILED;
}

static int
source_fall_back(struct job *j, const struct source *s) {
  fprintf(stderr, "op2cc: %s: compiled plainly, its kernels stay opaque\n",
          j->args.v[s->arg]);
  return source_plain(j, s, false);
}

/* Where does the result of this source go? */
static void
source_name_object(struct job *j, struct source *s, size_t number) {
  const char *path = j->args.v[s->arg];
  if (!j->stop)
    s->object = temp_name(j, number, ".o");
  else if (j->output)
    s->object = j->output;
  else
    s->object = name_with(j, path, j->stop[1] == 'S' ? ".s" : ".o", false);
}

static int
source_compile(struct job *j, struct source *s) {
  size_t number = temp_files++;
  char here[4096];
  if (!getcwd(here, sizeof here)) *here = 0;
  struct low_embed in = {.bitcode = temp_name(j, number, ".bc"),
                         .out = temp_name(j, number, ".op2.bc"),
                         .source = j->args.v[s->arg],
                         .unique = arena_printf(&j->arena, "%s/%s", here,
                                                j->output ? j->output : ""),
                         .data_offset = offsetof(struct op_dat_core, data),
                         .keep_debug = j->debug};
  source_name_object(j, s, number);
  int rc = source_front(j, s, in.bitcode);
  if (rc) return rc;
  enum embed_result r = embed_apart(j, &in);
  if (stopped_by) return 128 + stopped_by;
  if (r == EMBED_FAILED) return source_fall_back(j, s);
  if (r == EMBED_REFUSED) return 1;
  /* -O0 promises code as clang makes it */
  if (r == EMBED_NOTHING && j->level0) return source_plain(j, s, true);
  rc = source_back(j, s, in.out);
  return rc && !stopped_by ? source_fall_back(j, s) : rc;
}

/* ---- the whole command --------------------------------------------------- */

/* Sources are objects by now; -x is given again where other inputs need it. */
static int
job_link(struct job *j) {
  struct words w = {0};
  size_t next = 0;
  command_start(j, &w);
  for (size_t i = 0; i < j->args.n; i++) {
    enum arg_class c = j->classes[i];
    const char *arg = j->args.v[i];
    if (c == ARG_SOURCE) {
      words_add(&w, j->sources[next++].object);
    } else if (j->langs[i]) {
      words_add(&w, "-x");
      words_add(&w, j->langs[i]);
      words_add(&w, arg);
      words_add(&w, "-x");
      words_add(&w, "none");
    } else if (c == ARG_OPTION || c == ARG_LINK) {
      words_add(&w, arg);
    }
  }
  if (!j->no_link) library_link(j, &w);
  if (j->output) {
    words_add(&w, "-o");
    words_add(&w, j->output);
  }
  words_add(&w, "-Qunused-arguments"); /* clang saw them used in compiling */
  return command_run(&w);
}

/* Clang's command, as it would be without a look between two steps. */
static void
job_command(struct job *j, struct words *w) {
  command_start(j, w);
  for (size_t i = 0; i < j->args.n; i++)
    if (!starts(j->args.v[i], BUNDLE_OPTION) &&
        (!j->show || !starts(j->args.v[i], "-showme")))
      words_add(w, j->args.v[i]);
  if (j->compiles) library_compile(j, w);
  if (j->input && !j->no_link) library_link(j, w);
}

static int
job_plain(struct job *j) {
  struct words w = {0};
  job_command(j, &w);
  return command_run(&w);
}

static int
job_show(struct job *j) {
  struct words w = {0};
  bool compile = !strcmp(j->show, ":compile"), link = !strcmp(j->show, ":link");
  if (*j->show && !compile && !link) {
    fprintf(stderr,
            "op2cc: -showme%s: expected -showme, -showme:compile or "
            "-showme:link\n",
            j->show);
    return 1;
  }
  if (!*j->show) job_command(j, &w);
  if (compile) library_compile(j, &w);
  if (link) library_link(j, &w);
  for (size_t i = 0; i < w.n; i++)
    printf("%s%s", w.v[i], i + 1 < w.n ? " " : "");
  printf("\n");
  free(w.v);
  return 0;
}

/* An object file of what the bundles hold. */
static int
job_bundle(struct job *j) {
  struct words w = {0};
  size_t number = temp_files++;
  const char *object = temp_name(j, number, ".o");
  if (!bundle_write(j->bundles.v, j->bundles.n, j->quiet,
                    temp_name(j, number, ".entries"),
                    temp_name(j, number, ".c")))
    return 1;
  const char *const command[] = {OP2_CLANG, "-std=c23", "-fPIC", "-O1",
                                 "-c",      "-o",       object,  NULL};
  words_many(&w, command);
  words_add(&w, temp_name(j, number, ".c"));
  int rc = command_run(&w);
  if (!rc) j->bundle = object;
  return rc;
}

/* Is there a program to put the bundles into? */
static bool
job_bundles(const struct job *j) {
  bool links = j->input && !j->no_link;
  if (j->bundles.n && !links && !j->quiet)
    fprintf(stderr,
            "op2cc: warning: " BUNDLE_OPTION
            "%s is not used: nothing is linked with the library\n",
            j->bundles.v[0]);
  return j->bundles.n && links;
}

static int
job_run(struct job *j) {
  if (j->show) return job_show(j);
  bool bundles = job_bundles(j);
  if (j->plain && !bundles) return job_plain(j);
  if (!temp_open()) {
    fprintf(stderr, "op2cc: no folder for temporary files: %s%s\n",
            strerror(errno), bundles ? "" : "; compiled plainly");
    return bundles ? 1 : job_plain(j);
  }
  int rc = bundles ? job_bundle(j) : 0;
  if (rc) return rc;
  if (j->plain) return job_plain(j);
  for (size_t i = 0; i < j->nsources; i++) {
    int one = source_compile(j, &j->sources[i]);
    if (one) rc = one;
    if (stopped_by) break;
  }
  return rc || j->stop ? rc : job_link(j);
}

/* What is not clang's; clang tells the rest. */
static void
help(void) {
  puts("op2cc, op2c++: clang that keeps the kernels' IR in object files\n"
       "\n"
       "  op2cc -O2 prog.c -o prog       C; op2c++: C++\n"
       "  CC=op2cc CXX=op2c++ make       in a build; OMPI_CC=op2cc mpicc ...\n"
       "  op2cc -showme[:compile|:link] ...  print the command, or what is "
       "added\n"
       "  op2cc --bundle=FOLDER prog.o -o prog       code in the program\n"
       "\n"
       "--bundle=FOLDER (as often as you like) links what a run of the program "
       "compiled,\nand kept in that folder, into the program, which then needs "
       "neither LLVM nor a\ncache for the same loops on such a processor:\n"
       "\n"
       "  op2cc -O2 -c prog.c && op2cc prog.o -o prog\n"
       "  OP2_CACHE_DIR=$PWD/code ./prog\n"
       "  op2cc --bundle=code prog.o -o prog\n"
       "\n"
       "The library's headers and the library are found by themselves. A file "
       "that keeps\nthe pointer dat->data is warned of: loops that use the "
       "dat run at their call then\n(-w turns the warning off). OP2_LOG=2 when "
       "the program runs tells what waits and\nwhat cannot. All other options "
       "are clang's:\n");
  fflush(stdout);
}

int
main(int argc, char **argv) {
  struct job j = {0};
  if (argc == 2 && !strcmp(argv[1], "--help")) help();
  const char *slash = strrchr(argv[0], '/');
  j.cxx = strstr(slash ? slash + 1 : argv[0], "++") != NULL;
  for (int i = 1; i < argc; i++) args_add(&j, argv[i], 0);
  args_read(&j);
  library_find(&j);
  int rc = job_run(&j);
  free(j.args.v);
  free(j.sources);
  free(j.bundles.v);
  arena_clear(&j.arena);
  return rc;
}
