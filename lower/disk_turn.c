/* One rank of a machine compiles, the others read what it made.
 *
 * Problem. Ranks need the same code at the same moment: on a machine with 64 of
 * them each region would be compiled 64 times, on processors that are busy with
 * 63 others. Asking each other takes a message that all wait for, and ranks
 * that found the code in their caches have no reason to send one.
 *
 * Idea. A lock on a file in the cache's folder. Who has it compiles, keeps, and
 * lets go; who does not waits, and looks into the cache first when it is its
 * turn. A rank that dies lets go as well, since the system drops its lock; one
 * that hangs is waited for SECONDS, then the others compile by themselves, as
 * they do where files can't be locked.
 *
 * Devices' drivers finish code by themselves and keep it in folders of their
 * own, which PoCL's does not always survive when several processes do so at
 * once: they have turns, too.
 *
 * cost    nothing on one rank or where all is found; else a look each
 *         millisecond
 * limits  folders on file systems whose locks reach over machines: all ranks
 *         take turns */
#include "lower/disk.h"

#include "base/log.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 30, NOBODY = -1 };

static bool shared;

void
low_disk_share(bool on) {
  shared = on;
}

struct low_turn
low_disk_turn_begin(void) {
  const struct timespec pause = {0, 1000000};
  struct low_turn t = {NOBODY, false};
  if (shared) t.fd = low_disk_lock_file("turn");
  if (t.fd < 0) return t;
  double end = timer_wall() + SECONDS;
  while (flock(t.fd, LOCK_EX | LOCK_NB)) {
    t.waited = true;
    if ((errno == EWOULDBLOCK || errno == EINTR) && timer_wall() < end) {
      nanosleep(&pause, NULL);
      continue;
    }
    LOG_INFO("cache: another rank is compiling for long; this one does, too");
    break;
  }
  return t;
}

void
low_disk_turn_end(struct low_turn t) {
  if (t.fd >= 0) close(t.fd);
}
