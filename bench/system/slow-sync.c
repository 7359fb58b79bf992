// Loaded before the C library of one PostgreSQL server: every sync to disk takes a millisecond longer, as on a
// disk that has to wait for its plates or its network. Everything else is untouched.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slowly(const char *name, int file) {
  int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  struct timespec pause = {0, 1000000};
  int result = original(file);
  nanosleep(&pause, 0);
  return result;
}

int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
