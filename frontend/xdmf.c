/* XDMF: a text that tells readers which data sets of the HDF5 file beside it
 * are a step's mesh and values.
 *
 * Data sets of VTKHDF grow with each step, and some readers (Xdmf3) take no
 * rows of one. So each step has data sets of its own, which show its rows and
 * hold no values (vtk_file.c). The text is written anew with each step and
 * replaces the former one whole, so that a reader never sees half of it. */
#include "frontend/ranks.h"
#include "frontend/vtk.h"

#include <assert.h>
#include <string.h>

static void
xml_text(struct str *out, const char *s) {
  for (; *s; s++) {
    switch (*s) {
    case '&': str_add(out, "&amp;"); break;
    case '<': str_add(out, "&lt;"); break;
    case '>': str_add(out, "&gt;"); break;
    case '"': str_add(out, "&quot;"); break;
    default: str_addn(out, s, 1);
    }
  }
}

/* How XDMF says a type. It has no unsigned integers of 8 bytes: readers take
 * those above 2^63 wrongly. */
static const char *
number_type(struct type t) {
  if (type_class(t) == 'F') return "Float";
  if (t.size == 1) return t.kind == TYPE_I8 ? "Char" : "UChar";
  return type_class(t) == 'U' && t.size < 8 ? "UInt" : "Int";
}

/* The file as its reader finds it: beside the text. */
static const char *
file_name(const struct vtk_series *s) {
  const char *slash = strrchr(s->path, '/');
  return slash ? slash + 1 : s->path;
}

struct item {
  const char *at; /* path of the data set */
  struct type type;
  idx_g n;
  int dim;
};

static void
add_item(struct str *out, const struct vtk_series *s, const struct item *i) {
  assert(i->dim >= 1 && i->n >= 0);
  str_printf(out, "<DataItem Format=\"HDF\" Dimensions=\"%lld",
             (long long)i->n);
  if (i->dim > 1) str_printf(out, " %d", i->dim);
  str_printf(out, "\" NumberType=\"%s\" Precision=\"%u\">",
             number_type(i->type), i->type.size);
  xml_text(out, file_name(s));
  str_add(out, ":/");
  xml_text(out, i->at);
  str_add(out, "</DataItem>\n");
}

static void
add_mesh(struct str *out, const struct vtk_series *s) {
  const struct vtk_cell *c = s->cell;
  SCOPED_STR at = STR_INIT;
  if (s->npoints)
    fe_vtk_shown_points(s->blocks - 1, &at);
  else
    str_add(&at, "VTKHDF/Points");
  struct item points = {at.s, s->point_type, s->npoints, 3};
  struct item nodes = {
      "VTKHDF/Connectivity", {TYPE_I64, 8}, s->ncells * c->nodes, 1};
  str_printf(out, "<Topology TopologyType=\"%s\" NumberOfElements=\"%lld\"",
             c->xdmf, (long long)s->ncells);
  if (!strncmp(c->xdmf, "Poly", 4))
    str_printf(out, " NodesPerElement=\"%d\"", c->nodes);
  str_add(out, ">\n");
  add_item(out, s, &nodes);
  str_add(out, "</Topology>\n<Geometry GeometryType=\"XYZ\">\n");
  add_item(out, s, &points);
  str_add(out, "</Geometry>\n");
}

/* All components of a dat, or component k, as one array; its number goes behind
 * the name. */
static void
add_part(struct str *out, const struct vtk_series *s, const struct vtk_field *f,
         int k) {
  SCOPED_STR at = STR_INIT;
  struct item i = {.type = f->type,
                   .n = f->on_nodes ? s->npoints : s->ncells,
                   .dim = k < 0 ? f->dim : 1};
  if (i.n)
    fe_vtk_shown_field(f, s->steps, k, &at);
  else
    fe_vtk_field(f, &at); /* of nothing, nothing is shown */
  i.at = at.s;
  str_add(out, "<Attribute Name=\"");
  xml_text(out, f->name);
  if (k >= 0) str_printf(out, "_%d", k);
  str_printf(out, "\" AttributeType=\"%s\" Center=\"%s\">\n",
             i.dim == 1 ? "Scalar" : "Vector", f->on_nodes ? "Node" : "Cell");
  add_item(out, s, &i);
  str_add(out, "</Attribute>\n");
}

/* Readers take arrays of up to three components, and tensors: of others each
 * component is an array. */
static void
add_field(struct str *out, const struct vtk_series *s,
          const struct vtk_field *f) {
  int parts = fe_vtk_parts(f);
  for (int k = 0; k < parts; k++) add_part(out, s, f, parts > 1 ? k : -1);
}

static void
add_grid(struct str *out, const struct vtk_step *p) {
  const struct vtk_series *s = p->s;
  str_printf(out,
             "<Grid Name=\"step %lld\" GridType=\"Uniform\">\n"
             "<Time Value=\"%.17g\"/>\n",
             (long long)s->steps, p->time);
  add_mesh(out, s);
  for (uint32_t i = 0; i < s->nfields; i++) add_field(out, s, &s->fields[i]);
  str_add(out, "</Grid>\n");
}

status
fe_xdmf_write(const struct vtk_step *p) {
  struct vtk_series *s = p->s;
  if (fe_ranks.rank) return OK;
  SCOPED_STR all = STR_INIT;
  add_grid(&s->grids, p);
  str_add(&all, "<?xml version=\"1.0\"?>\n"
                "<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n"
                "<Xdmf Version=\"2.0\"><Domain>\n"
                "<Grid Name=\"series\" GridType=\"Collection\" "
                "CollectionType=\"Temporal\">\n");
  str_addn(&all, s->grids.s, s->grids.len);
  str_add(&all, "</Grid></Domain></Xdmf>\n");
  int bad = str_write_file(&all, s->text_path);
  if (bad)
    FAIL(ERR_IO, "\"%s\": cannot be written: %s", s->text_path, strerror(bad));
  return OK;
}
