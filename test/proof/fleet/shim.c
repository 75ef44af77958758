// Preloaded into one process of ours: shifts its wall clock, delays or fails its syncs, and fails its
// writes to databases, as a page says that it shares with whoever torments it. Time that is only
// measured stays true.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct page {
  int64_t clock_ms, sync_delay_ms, sync_failures;
  int64_t shifted, delayed, failed;
  // The error that writes fail with, 0: none; 1: only those to the database itself, not its log.
  int64_t write_error, only_database;
};

static struct page *page;

__attribute__((constructor)) static void open_page(void) {
  const char *path = getenv("PROOF_SHIM");
  int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *found = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (found != MAP_FAILED) page = found;
}

static int64_t shift(void) {
  int64_t ms = page == NULL ? 0 : __atomic_load_n(&page->clock_ms, __ATOMIC_RELAXED);
  if (ms != 0) __atomic_add_fetch(&page->shifted, 1, __ATOMIC_RELAXED);
  return ms;
}

int clock_gettime(clockid_t id, struct timespec *at) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) real = dlsym(RTLD_NEXT, "clock_gettime");
  int answer = real == NULL ? (int)syscall(SYS_clock_gettime, id, at) : real(id, at);
  if (answer != 0 || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return answer;
  int64_t ms = shift();
  int64_t ns = at->tv_nsec + ms % 1000 * 1000000;
  at->tv_sec += ms / 1000;
  if (ns < 0) { ns += 1000000000; at->tv_sec -= 1; }
  if (ns >= 1000000000) { ns -= 1000000000; at->tv_sec += 1; }
  at->tv_nsec = ns;
  return answer;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at != NULL) *at = now.tv_sec;
  return now.tv_sec;
}

static int may_sync(void) {
  if (page == NULL) return 1;
  int64_t ms = __atomic_load_n(&page->sync_delay_ms, __ATOMIC_RELAXED);
  if (ms > 0) {
    __atomic_add_fetch(&page->delayed, 1, __ATOMIC_RELAXED);
    usleep(ms * 1000);
  }
  if (__atomic_load_n(&page->sync_failures, __ATOMIC_RELAXED) <= 0) return 1;
  if (__atomic_fetch_sub(&page->sync_failures, 1, __ATOMIC_RELAXED) <= 0) return 1;
  __atomic_add_fetch(&page->failed, 1, __ATOMIC_RELAXED);
  errno = EIO;
  return 0;
}

int fsync(int fd) { return may_sync() ? (int)syscall(SYS_fsync, fd) : -1; }
int fdatasync(int fd) { return may_sync() ? (int)syscall(SYS_fdatasync, fd) : -1; }

static int is_database(int fd) {
  char link[64], name[512];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, name, sizeof name - 1);
  if (length <= 0) return 0;
  name[length] = 0;
  const char *end = strstr(name, ".db");
  if (end == NULL || strstr(end, ".lock") != NULL || strstr(end, ".mark") != NULL) return 0;
  return end[3] == 0 || !__atomic_load_n(&page->only_database, __ATOMIC_RELAXED);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  int64_t error = page == NULL ? 0 : __atomic_load_n(&page->write_error, __ATOMIC_RELAXED);
  if (error == 0 || !is_database(fd)) return syscall(SYS_pwrite64, fd, bytes, count, at);
  __atomic_add_fetch(&page->failed, 1, __ATOMIC_RELAXED);
  errno = (int)error;
  return -1;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  return pwrite64(fd, bytes, count, at);
}

static int is_refused(const char *path, int mode) {
  if (page == NULL || (mode & W_OK) == 0 || strstr(path, ".db") == NULL) return 0;
  return __atomic_load_n(&page->write_error, __ATOMIC_RELAXED) == EROFS;
}

int access(const char *path, int mode) {
  if (!is_refused(path, mode)) return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
  errno = EROFS;
  return -1;
}
