/* XDMF: a text that tells readers which rows of which data sets of the HDF5
 * file beside it are a step's mesh and values.
 *
 * Data sets grow with each step, so each item is a hyperslab: first row, stride
 * and count in each dimension, of a data set as large as it is by then. The
 * text is written anew with each step and replaces the former one whole, so
 * that a reader never sees half of it. */
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

static void
item_open(struct str *out, const char *kind, idx_g n, int dim) {
  str_printf(out, "<DataItem %s Dimensions=\"%lld", kind, (long long)n);
  if (dim > 1) str_printf(out, " %d", dim);
  str_add(out, "\"");
}

/* The file as its reader finds it: beside the text. */
static const char *
file_name(const struct vtk_series *s) {
  const char *slash = strrchr(s->path, '/');
  return slash ? slash + 1 : s->path;
}

struct item {
  const char *group, *name;
  struct type type;
  idx_g all, from, n;   /* rows of the data set; rows that count */
  int dim, first, last; /* components; those that count */
};

static void
add_item(struct str *out, const struct vtk_series *s, const struct item *i) {
  bool wide = i->dim > 1;
  assert(i->first >= 0 && i->first < i->last && i->last <= i->dim);
  assert(i->from >= 0 && i->from + i->n <= i->all);
  int count = i->last - i->first;
  item_open(out, "ItemType=\"HyperSlab\"", i->n, count);
  str_add(out, ">");
  item_open(out, "Format=\"XML\" NumberType=\"Int\"", 3, 1 + wide);
  if (wide)
    str_printf(out, ">%lld %d 1 1 %lld %d", (long long)i->from, i->first,
               (long long)i->n, count);
  else
    str_printf(out, ">%lld 1 %lld", (long long)i->from, (long long)i->n);
  str_add(out, "</DataItem>\n");
  item_open(out, "Format=\"HDF\"", i->all, i->dim);
  str_printf(out, " NumberType=\"%s\" Precision=\"%u\">", number_type(i->type),
             i->type.size);
  xml_text(out, file_name(s));
  str_printf(out, ":/VTKHDF/%s", i->group);
  xml_text(out, i->name);
  str_add(out, "</DataItem></DataItem>\n");
}

static void
add_mesh(struct str *out, const struct vtk_series *s) {
  const struct vtk_cell *c = s->cell;
  struct item points = {.group = "",
                        .name = "Points",
                        .type = s->point_type,
                        .all = s->blocks * s->npoints,
                        .from = (s->blocks - 1) * s->npoints,
                        .n = s->npoints,
                        .dim = 3,
                        .last = 3};
  struct item nodes = {.group = "",
                       .name = "Connectivity",
                       .type = {TYPE_I64, 8},
                       .all = s->ncells * c->nodes,
                       .n = s->ncells * c->nodes,
                       .dim = 1,
                       .last = 1};
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

/* Components [first, last) of a dat, as one array; number >= 0: goes behind its
 * name. */
static void
add_part(struct str *out, const struct vtk_series *s, const struct item *i,
         bool on_nodes, int number) {
  str_add(out, "<Attribute Name=\"");
  xml_text(out, i->name);
  if (number >= 0) str_printf(out, "_%d", number);
  str_printf(out, "\" AttributeType=\"%s\" Center=\"%s\">\n",
             i->last - i->first == 1 ? "Scalar" : "Vector",
             on_nodes ? "Node" : "Cell");
  add_item(out, s, i);
  str_add(out, "</Attribute>\n");
}

/* Readers take arrays of up to three components, and tensors: of others each
 * component is an array. */
static void
add_field(struct str *out, const struct vtk_series *s,
          const struct vtk_field *f, idx_g step) {
  idx_g n = f->on_nodes ? s->npoints : s->ncells;
  struct item i = {.group = f->on_nodes ? "PointData/" : "CellData/",
                   .name = f->name,
                   .type = f->type,
                   .all = (step + 1) * n,
                   .from = step * n,
                   .n = n,
                   .dim = f->dim,
                   .last = f->dim};
  if (f->dim <= 3) {
    add_part(out, s, &i, f->on_nodes, -1);
    return;
  }
  for (int k = 0; k < f->dim; k++) {
    i.first = k;
    i.last = k + 1;
    add_part(out, s, &i, f->on_nodes, k);
  }
}

static void
add_grid(struct str *out, const struct vtk_step *p) {
  const struct vtk_series *s = p->s;
  str_printf(out,
             "<Grid Name=\"step %lld\" GridType=\"Uniform\">\n"
             "<Time Value=\"%.17g\"/>\n",
             (long long)s->steps, p->time);
  add_mesh(out, s);
  for (uint32_t i = 0; i < s->nfields; i++)
    add_field(out, s, &s->fields[i], s->steps);
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
