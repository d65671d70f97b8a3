// The system's SQLite, as a module that Swift can import.
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

// Reads a word that other processes, or threads, may be writing.
static inline uint64_t dflat_load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

// Writes a word that other threads may be reading.
static inline void dflat_store(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

// Where the WAL index of a database that is in WAL mode, and has been read, is mapped; NULL where there is none, such as
// when nobody may write the file. It stays mapped as long as the connection is open.
static inline const void *dflat_wal_index(sqlite3 *database) {
  sqlite3_file *file = NULL;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file == NULL ||
      file->pMethods == NULL || file->pMethods->iVersion < 2 || file->pMethods->xShmMap == NULL) {
    return NULL;
  }
  volatile void *region = NULL;
  // SQLite maps the index in regions of 32 KiB. This one is there already, so nothing is made, or made larger.
  if (file->pMethods->xShmMap(file, 0, 32768, 0, &region) != SQLITE_OK) return NULL;
  return (const void *)region;
}

// Adds one to a number that threads share, and returns the sum.
static inline uint64_t dflat_add_one(uint64_t *number) { return __atomic_add_fetch(number, 1, __ATOMIC_RELAXED); }

// Has the connection leave the log and its index as they are when it is closed.
static inline void dflat_leave_log(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Has the triggers of the file not fire for what the connection writes; temporary ones still do, since SQLite 3.35. Returns
// whether they are off.
static inline int dflat_disable_triggers(sqlite3 *database) {
  int isEnabled = 1;
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, &isEnabled) == SQLITE_OK && !isEnabled;
}

// Whether the database's file has been renamed or removed since it was opened, or another file has its name.
static inline int dflat_has_moved(sqlite3 *database) {
  int moved = 0;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}
