/* The page: a frame of HTML whose marks are replaced by style, code and data,
 * so that it needs no other file. */
#include "tools/view/view.h"

#include <assert.h>
#include <string.h>

/* JSON inside of a script element must not end it; in JSON this is the same. */
static void
add_data(const char *json, struct str *out) {
  for (const char *at; (at = strchr(json, '<')); json = at + 1) {
    str_addn(out, json, (size_t)(at - json));
    str_add(out, "\\u003c");
  }
  str_add(out, json);
}

static void
add_runs(const struct view_run *runs, int n, struct str *out) {
  str_add(out, "[");
  for (int k = 0; k < n; k++) {
    str_add(out, k ? ",\n" : "\n");
    add_data(runs[k].json.s, out);
  }
  str_add(out, "]");
}

/* The frame up to a mark; returns what is behind it. */
static const char *
add_until(const char *frame, const char *mark, struct str *out) {
  const char *at = strstr(frame, mark);
  assert(at);
  str_addn(out, frame, (size_t)(at - frame));
  return at + strlen(mark);
}

status
view_page(const struct view_run *runs, int n, const char *path) {
  SCOPED_STR page = STR_INIT;
  const char *rest = add_until(view_page_html, "/*style*/", &page);
  str_add(&page, view_page_css);
  rest = add_until(rest, "/*data*/", &page);
  add_runs(runs, n, &page);
  rest = add_until(rest, "/*code*/", &page);
  str_add(&page, view_page_js);
  str_add(&page, rest);
  int bad = str_write_file(&page, path);
  if (bad) FAIL(ERR_IO, "cannot write %s: %s", path, strerror(bad));
  return OK;
}
