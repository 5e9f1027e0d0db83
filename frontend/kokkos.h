/* Connectors of Kokkos Tools: listeners of base/event.h. */
#ifndef FRONTEND_KOKKOS_H
#define FRONTEND_KOKKOS_H

/* Load the libraries of this list (KOKKOS_TOOLS_LIBS), and tell them of all
 * that comes. One that cannot be loaded is left out, with a warning. */
void fe_kokkos_start(const char *libraries);
/* It is over: dats are gone. */
void fe_kokkos_stop(void);

#endif
