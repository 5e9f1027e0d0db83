/* Numbers of a program for what stands in its trace. */
#include "lower/maker.h"

#include <assert.h>

uint32_t
low_number_slot(struct low_maker *m, ir_ref buffer, ir_ref dat) {
  assert(dat == IR_NONE || dat < m->t->ndats);
  assert(buffer < m->t->nbuffers);
  struct rt_program *p = m->p;
  const struct ir_buffer *b = &m->t->buffers[buffer];
  uint32_t no = m->dat_no[dat == IR_NONE ? b->dat : dat];
  assert(no != IR_NONE);
  for (uint32_t k = 0; k < p->nslots; k++)
    if (m->slot_buffer[k] == buffer && p->slots[k].dat == no) return k;
  if (p->nslots == m->capslots) {
    m->capslots = m->capslots ? 2 * m->capslots : 16;
    p->slots = mem_grow(p->slots, m->capslots, sizeof *p->slots);
    m->slot_buffer =
        mem_grow(m->slot_buffer, m->capslots, sizeof *m->slot_buffer);
    m->slot_host = mem_grow(m->slot_host, m->capslots, sizeof *m->slot_host);
  }
  assert(p->nslots < m->capslots);
  m->slot_buffer[p->nslots] = buffer;
  m->slot_host[p->nslots] = false;
  p->slots[p->nslots] = (struct rt_slot){.dat = no, .initial = b->initial};
  return p->nslots++;
}

uint32_t
low_number_param(struct low_maker *m, struct low_capture c) {
  assert(c.kind == LOW_CAPTURE_PARAM || c.kind == LOW_CAPTURE_CONST);
  struct low_capture *have = m->out->captures;
  for (uint32_t k = 0; k < m->p->nparams; k++)
    if (have[k].node_tag == c.node_tag && have[k].kind == c.kind &&
        have[k].index == c.index)
      return k;
  VEC_PUSH(m->out->captures, m->p->nparams, m->capparams, c);
  return m->p->nparams - 1;
}

uint32_t
low_number_address(struct low_maker *m, uint32_t kernel_tag) {
  for (uint32_t k = 0; k < m->p->naddresses; k++)
    if (m->out->address_tags[k] == kernel_tag) return k;
  VEC_PUSH(m->out->address_tags, m->p->naddresses, m->capaddresses, kernel_tag);
  return m->p->naddresses - 1;
}

static struct low_map
map_of(const struct ir_map *m) {
  struct low_map x = {.tag = m->tag};
  if (m->rows == IR_ROWS_INVERSE) x.how = LOW_MAP_INVERSE;
  if (m->rows != IR_ROWS_COMPOSED) return x;
  x.how = LOW_MAP_COMPOSED;
  x.first = m->of[0];
  x.then = m->of[1];
  return x;
}

void
low_number_decls(struct low_maker *m) {
  assert(!m->p->nsets && !m->p->ndats && !m->p->nglobals);
  const struct ir_trace *t = m->t;
  struct rt_program *p = m->p;
  p->nsets = t->nsets;
  p->nmaps = t->nmaps;
  m->out->set_tags = mem_alloc(t->nsets + 1, sizeof(uint32_t));
  m->out->maps = mem_alloc(t->nmaps + 1, sizeof *m->out->maps);
  m->out->dat_tags = mem_alloc(t->ndats + 1, sizeof(uint32_t));
  m->out->global_tags = mem_alloc(t->ndats + 1, sizeof(uint32_t));
  for (ir_ref k = 0; k < t->nsets; k++) m->out->set_tags[k] = t->sets[k].tag;
  for (ir_ref k = 0; k < t->nmaps; k++) m->out->maps[k] = map_of(&t->maps[k]);
  for (ir_ref k = 0; k < t->ndats; k++) {
    const struct ir_dat *d = &t->dats[k];
    m->dat_no[k] = m->gbl_no[k] = IR_NONE;
    if (d->kind == IR_DAT) {
      m->dat_no[k] = p->ndats;
      m->out->dat_tags[p->ndats++] = d->tag;
    } else if (d->kind == IR_GBL) {
      m->gbl_no[k] = p->nglobals;
      m->out->global_tags[p->nglobals++] = d->tag;
    }
  }
  assert(p->ndats + p->nglobals <= t->ndats);
}
