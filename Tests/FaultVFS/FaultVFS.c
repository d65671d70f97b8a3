#include "FaultVFS.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

#include "FaultPower.h"

static sqlite3_vfs *real_vfs;
static char marker[100];
static atomic_int armed_kinds, remaining, error_code, is_forever, failures;

// The real file follows in the same memory.
typedef struct {
  sqlite3_file base;
  int may_fail;
  power_file *power;
} fault_file;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((fault_file *)file + 1); }

static int fault(int may_fail, int kind) {
  if (!may_fail || !(atomic_load(&armed_kinds) & kind)) return SQLITE_OK;
  int left = atomic_fetch_sub(&remaining, 1);
  if (left > 1 || (left < 1 && !atomic_load(&is_forever))) return SQLITE_OK;
  atomic_fetch_add(&failures, 1);
  return atomic_load(&error_code);
}

#define FAIL_OR(kind, call)                                  \
  int code = fault(((fault_file *)file)->may_fail, kind);    \
  return code != SQLITE_OK ? code : real(file)->pMethods->call

static int f_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }
static int f_read(sqlite3_file *file, void *to, int count, sqlite3_int64 at) {
  FAIL_OR(FAULT_READ, xRead(real(file), to, count, at));
}
static int f_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 at) {
  int code = fault(((fault_file *)file)->may_fail, FAULT_WRITE);
  if (code == SQLITE_OK) code = real(file)->pMethods->xWrite(real(file), from, count, at);
  if (code == SQLITE_OK) power_write(((fault_file *)file)->power, from, (size_t)count, (size_t)at);
  return code;
}
static int f_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = fault(((fault_file *)file)->may_fail, FAULT_TRUNCATE);
  if (code == SQLITE_OK) code = real(file)->pMethods->xTruncate(real(file), size);
  if (code == SQLITE_OK) power_truncate(((fault_file *)file)->power, (size_t)size);
  return code;
}
static int f_sync(sqlite3_file *file, int flags) {
  int code = fault(((fault_file *)file)->may_fail, FAULT_SYNC);
  if (code == SQLITE_OK) code = real(file)->pMethods->xSync(real(file), flags);
  if (code == SQLITE_OK) power_sync(((fault_file *)file)->power);
  return code;
}
static int f_size(sqlite3_file *file, sqlite3_int64 *size) { return real(file)->pMethods->xFileSize(real(file), size); }
static int f_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int f_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int f_reserved(sqlite3_file *file, int *out) { return real(file)->pMethods->xCheckReservedLock(real(file), out); }
static int f_control(sqlite3_file *file, int op, void *arg) {
  return real(file)->pMethods->xFileControl(real(file), op, arg);
}
static int f_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int f_device(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
static int f_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  FAIL_OR(FAULT_SHARED_MEMORY, xShmMap(real(file), page, size, extend, out));
}
static int f_shm_lock(sqlite3_file *file, int offset, int n, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}
static void f_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int f_shm_unmap(sqlite3_file *file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

static const sqlite3_io_methods methods = {
    2,          f_close,  f_read,    f_write,   f_truncate, f_sync,     f_size,        f_lock,      f_unlock,
    f_reserved, f_control, f_sector, f_device,  f_shm_map,  f_shm_lock, f_shm_barrier, f_shm_unmap,
};

static int f_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  fault_file *own = (fault_file *)file;
  own->base.pMethods = NULL;
  own->may_fail = name && strstr(name, marker);
  own->power = NULL;
  if (fault(own->may_fail, FAULT_OPEN) != SQLITE_OK) return SQLITE_CANTOPEN;
  own->power = name ? power_open(name) : NULL;
  int code = real_vfs->xOpen(real_vfs, name, real(file), flags, out);
  // Even after a failure a file that has methods is closed.
  if (real(file)->pMethods) own->base.pMethods = &methods;
  if (code == SQLITE_OK) power_opened(own->power);
  return code;
}

static int f_delete(sqlite3_vfs *vfs, const char *name, int sync_folder) {
  int code = real_vfs->xDelete(real_vfs, name, sync_folder);
  if (code == SQLITE_OK) power_delete(name);
  return code;
}

int fault_install(const char *name) {
  static sqlite3_vfs vfs;
  real_vfs = sqlite3_vfs_find(NULL);
  strncpy(marker, name, sizeof marker - 1);
  vfs = *real_vfs;
  vfs.zName = "fault";
  vfs.pNext = NULL;
  vfs.szOsFile = (int)sizeof(fault_file) + real_vfs->szOsFile;
  vfs.xOpen = f_open;
  vfs.xDelete = f_delete;
  return sqlite3_vfs_register(&vfs, 1);
}

void fault_arm(int kinds, int n, int code, int forever) {
  atomic_store(&remaining, n);
  atomic_store(&error_code, code);
  atomic_store(&is_forever, forever);
  atomic_store(&failures, 0);
  atomic_store(&armed_kinds, kinds);
}

int fault_disarm(void) {
  atomic_store(&armed_kinds, 0);
  return atomic_load(&failures);
}
