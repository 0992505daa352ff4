/* Faults at the level of the calls by which a program changes files: preloaded into every process of a command, whatever language
 * it is written in. It counts the calls that change something under one folder, and at the n-th does what it was told. What it
 * sees it writes down, so that what was never flushed can be taken away afterwards.
 *
 *   FAULT_ROOT   the folder, as a real path
 *   FAULT_STATE  a file of 16 bytes, shared: how many calls there were, and whether the fault has happened
 *   FAULT_AT     the number of the call, from 1; 0 only counts
 *   FAULT_KIND   kill: the process group dies before the call; ENOSPC: from then on nothing can be written or made;
 *                EIO: the call fails, once; short: half of what was given is written, once
 *   FAULT_LOG    a file that gets a line for each call: "w PATH", "s PATH" (flushed), "s *" (everything flushed), "r FROM\tTO", "u PATH"
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct { atomic_long count; atomic_long fired; } State;

static const char *root;
static size_t root_length;
static State *state;
static long at;
static enum { NONE, KILL, FULL, BROKEN, SHORT } kind;
static int log_fd = -1;

static ssize_t (*real_write)(int, const void *, size_t);

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  real_write = REAL(write);
  const char *folder = getenv("FAULT_ROOT"), *shared = getenv("FAULT_STATE"), *log = getenv("FAULT_LOG");
  if (folder == NULL || shared == NULL) return;
  int fd = REAL(open)(shared, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  REAL(close)(fd);
  if (mapped == MAP_FAILED) return;
  const char *name = getenv("FAULT_KIND");
  at = atol(getenv("FAULT_AT") ? getenv("FAULT_AT") : "0");
  kind = name == NULL ? NONE : !strcmp(name, "kill") ? KILL : !strcmp(name, "ENOSPC") ? FULL : !strcmp(name, "EIO") ? BROKEN : SHORT;
  if (log != NULL) log_fd = REAL(open)(log, O_WRONLY | O_APPEND | O_CLOEXEC);
  state = mapped;
  root_length = strlen(folder);
  root = folder;
}

static int is_inside(const char *path) {
  return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

/** The whole path of a name that is relative to an open folder. */
static int find_path(int folder, const char *name, char *path) {
  if (name[0] == '/') return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
  char link[64];
  if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
  else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  return snprintf(path + length, PATH_MAX - length, name[0] == 0 ? "" : "/%s", name) < PATH_MAX - length;
}

static void note(const char *what, const char *path, const char *second) {
  if (log_fd < 0) return;
  char line[2 * PATH_MAX + 8];
  int length = snprintf(line, sizeof line, second == NULL ? "%s %s\n" : "%s %s\t%s\n", what, path, second);
  if (real_write(log_fd, line, length) < 0) return;
}

/** @returns 0 to go on, -1 for half of it, else the number of the error */
static int reach(int grows) {
  long number = atomic_fetch_add(&state->count, 1) + 1;
  if (kind == FULL && at > 0 && number > at && atomic_load(&state->fired)) return grows ? ENOSPC : 0;
  if (at == 0 || number != at) return 0;
  atomic_store(&state->fired, 1);
  if (kind == KILL) {
    kill(0, SIGKILL);
    raise(SIGKILL);
  }
  return kind == FULL ? (grows ? ENOSPC : 0) : kind == BROKEN ? EIO : -1;
}

static int inside_fd(int fd, char *path) { return state != NULL && fd != log_fd && find_path(fd, "", path) && is_inside(path); }
static int inside_at(int folder, const char *name, char *path) {
  return state != NULL && name != NULL && find_path(folder, name, path) && is_inside(path);
}

/* Bytes into a file. */
#define WRITES(fd, whole, half)                 \
  char path[PATH_MAX];                          \
  if (!inside_fd(fd, path)) return whole;       \
  int verdict = reach(1);                       \
  if (verdict > 0) { errno = verdict; return -1; } \
  note("w", path, NULL);                        \
  return verdict < 0 ? half : whole;

ssize_t write(int fd, const void *data, size_t size) {
  if (real_write == NULL) real_write = REAL(write);
  WRITES(fd, real_write(fd, data, size), real_write(fd, data, (size + 1) / 2))
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
  WRITES(fd, REAL(pwrite64)(fd, data, size, offset), REAL(pwrite64)(fd, data, (size + 1) / 2, offset))
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
  WRITES(fd, REAL(pwrite)(fd, data, size, offset), REAL(pwrite)(fd, data, (size + 1) / 2, offset))
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  WRITES(fd, REAL(writev)(fd, parts, count), REAL(writev)(fd, parts, (count + 1) / 2))
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  WRITES(fd, REAL(pwritev64)(fd, parts, count, offset), REAL(pwritev64)(fd, parts, (count + 1) / 2, offset))
}
ssize_t copy_file_range(int from, off64_t *in, int to, off64_t *out, size_t size, unsigned flags) {
  WRITES(to, REAL(copy_file_range)(from, in, to, out, size, flags), REAL(copy_file_range)(from, in, to, out, (size + 1) / 2, flags))
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t size) {
  WRITES(to, REAL(sendfile64)(to, from, offset, size), REAL(sendfile64)(to, from, offset, (size + 1) / 2))
}
int ftruncate64(int fd, off64_t size) { WRITES(fd, REAL(ftruncate64)(fd, size), REAL(ftruncate64)(fd, size)) }
int ftruncate(int fd, off_t size) { WRITES(fd, REAL(ftruncate)(fd, size), REAL(ftruncate)(fd, size)) }

/* Flushing. */
#define FLUSHES(fd, call)                         \
  char path[PATH_MAX];                            \
  if (!inside_fd(fd, path)) return call;          \
  int verdict = reach(0);                         \
  if (verdict > 0) { errno = verdict; return -1; } \
  int done = call;                                \
  if (done == 0) note("s", path, NULL);           \
  return done;

int fsync(int fd) { FLUSHES(fd, REAL(fsync)(fd)) }
int fdatasync(int fd) { FLUSHES(fd, REAL(fdatasync)(fd)) }
int syncfs(int fd) {
  char path[PATH_MAX];
  if (!inside_fd(fd, path)) return REAL(syncfs)(fd);
  int verdict = reach(0);
  if (verdict > 0) { errno = verdict; return -1; }
  int done = REAL(syncfs)(fd);
  if (done == 0) note("s", "*", NULL);
  return done;
}

/* Names. */
#define NAMES(folder, name, grows, what, call)      \
  char path[PATH_MAX];                              \
  if (!inside_at(folder, name, path)) return call;  \
  int verdict = reach(grows);                       \
  if (verdict > 0) { errno = verdict; return -1; }  \
  int done = call;                                  \
  if (done >= 0) note(what, path, NULL);            \
  return done;

#define MOVES(from_folder, from, to_folder, to, what, call)                  \
  char path[PATH_MAX], source[PATH_MAX];                                     \
  if (!inside_at(to_folder, to, path)) return call;                          \
  int verdict = reach(1);                                                    \
  if (verdict > 0) { errno = verdict; return -1; }                           \
  int done = call;                                                           \
  if (done == 0 && find_path(from_folder, from, source)) note(what, source, path); \
  return done;

int rename(const char *from, const char *to) { MOVES(AT_FDCWD, from, AT_FDCWD, to, "r", REAL(rename)(from, to)) }
int renameat(int a, const char *from, int b, const char *to) { MOVES(a, from, b, to, "r", REAL(renameat)(a, from, b, to)) }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  MOVES(a, from, b, to, "r", REAL(renameat2)(a, from, b, to, flags))
}
int link(const char *from, const char *to) { MOVES(AT_FDCWD, from, AT_FDCWD, to, "l", REAL(link)(from, to)) }
int linkat(int a, const char *from, int b, const char *to, int flags) { MOVES(a, from, b, to, "l", REAL(linkat)(a, from, b, to, flags)) }
int unlink(const char *name) { NAMES(AT_FDCWD, name, 0, "u", REAL(unlink)(name)) }
int unlinkat(int folder, const char *name, int flags) { NAMES(folder, name, 0, "u", REAL(unlinkat)(folder, name, flags)) }
int rmdir(const char *name) { NAMES(AT_FDCWD, name, 0, "u", REAL(rmdir)(name)) }
int mkdir(const char *name, mode_t mode) { NAMES(AT_FDCWD, name, 1, "d", REAL(mkdir)(name, mode)) }
int symlink(const char *target, const char *name) { NAMES(AT_FDCWD, name, 1, "d", REAL(symlink)(target, name)) }

/* Opening counts only where it makes or empties a file. */
#define OPENS(folder, name, flags, call)                                     \
  mode_t mode = 0;                                                           \
  if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); } \
  char path[PATH_MAX];                                                       \
  if (!(flags & (O_CREAT | O_TRUNC)) || !inside_at(folder, name, path)) return call; \
  int verdict = reach(1);                                                    \
  if (verdict > 0) { errno = verdict; return -1; }                           \
  int done = call;                                                           \
  if (done >= 0) note("w", path, NULL);                                      \
  return done;

int open(const char *name, int flags, ...) { OPENS(AT_FDCWD, name, flags, REAL(open)(name, flags, mode)) }
int open64(const char *name, int flags, ...) { OPENS(AT_FDCWD, name, flags, REAL(open64)(name, flags, mode)) }
int openat(int folder, const char *name, int flags, ...) { OPENS(folder, name, flags, REAL(openat)(folder, name, flags, mode)) }
int openat64(int folder, const char *name, int flags, ...) { OPENS(folder, name, flags, REAL(openat64)(folder, name, flags, mode)) }
