/* op2-view's parts: a folder of OP2_TRACE becomes JSON, that becomes a page. */
#ifndef TOOLS_VIEW_VIEW_H
#define TOOLS_VIEW_VIEW_H

#include "ir/ir.h"

/* ---- folder.c ------------------------------------------------------------ */

/* What a run left behind, of its folder: "op2_trace", or that of one rank. */
struct view_run {
  struct str json; /* what the page draws; see view_run_read */
  uint32_t traces, timelines;
};
/* Of rank 0 all traces, of all ranks the timelines, and the report:
 *   {"name", "report", "traces": [view_trace ...], "timelines": [...]}
 * ERR_IO, ERR_ARG: a trace that cannot be read or parsed; nothing there. */
status view_run_read(const char *folder, struct view_run *out);
/* One timeline of all ranks, for Perfetto. ERR_IO */
status view_merge(const char *folder, const char *path);

/* ---- trace.c ------------------------------------------------------------- */

/* A trace as JSON: sets, nodes with arguments and who made them, regions,
 * remarks (`text`: the file, which has them as comments). */
void view_trace(const struct ir_trace *t, const char *program,
                const char *stage, const char *text, struct str *out);

/* ---- page.c -------------------------------------------------------------- */

/* The whole page, of one run or two. ERR_IO */
status view_page(const struct view_run *runs, int n, const char *path);

/* Made by tools/cmake/embed.cmake from page.html, page.css and *.js. */
extern const char view_page_html[], view_page_css[], view_page_js[];

#endif
