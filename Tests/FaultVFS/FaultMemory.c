#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>

#include "FaultVFS.h"

static sqlite3_mem_methods real_methods;
static atomic_int remaining, is_forever, failures, is_armed;

static int fails(void) {
  if (!atomic_load(&is_armed)) return 0;
  int left = atomic_fetch_sub(&remaining, 1);
  if (left > 1 || (left < 1 && !atomic_load(&is_forever))) return 0;
  atomic_fetch_add(&failures, 1);
  return 1;
}

static void *failing_malloc(int size) { return fails() ? NULL : real_methods.xMalloc(size); }
static void *failing_realloc(void *memory, int size) { return fails() ? NULL : real_methods.xRealloc(memory, size); }

int fault_memory_install(void) {
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_methods);
  if (code != SQLITE_OK) return code;
  sqlite3_mem_methods methods = real_methods;
  methods.xMalloc = failing_malloc;
  methods.xRealloc = failing_realloc;
  code = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
  if (code != SQLITE_OK) return code;
  // Small pieces would come out of a store of each connection's own, and never fail.
  code = sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
  return code != SQLITE_OK ? code : sqlite3_initialize();
}

void fault_memory_arm(int n, int forever) {
  atomic_store(&remaining, n);
  atomic_store(&is_forever, forever);
  atomic_store(&failures, 0);
  atomic_store(&is_armed, 1);
}

int fault_memory_disarm(void) {
  atomic_store(&is_armed, 0);
  return atomic_load(&failures);
}
