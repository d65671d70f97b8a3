// The system's SQLite, as a module that Swift can import.
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

// The header of a database's WAL index: what every commit, of whatever process, changes.
// https://www.sqlite.org/walformat.html#the_wal_index_header
typedef struct {
  uint64_t words[6];  // 48 bytes: the first copy without the second.
} dflat_wal_index_header;

// Two words of the header that every commit changes, of whatever process: how often was committed, and the checksum of the
// last frame of the log.
typedef struct {
  uint64_t commits, checksum;
} dflat_commit_mark;

static inline dflat_commit_mark dflat_read_commit_mark(const void *index) {
  const uint64_t *words = (const uint64_t *)index;
  dflat_commit_mark mark = {__atomic_load_n(&words[1], __ATOMIC_ACQUIRE), __atomic_load_n(&words[3], __ATOMIC_ACQUIRE)};
  return mark;
}

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

// Reads the header. SQLite writes the second copy, then the first; who finds them equal has read a whole one.
// Returns 0 when a commit is just being written.
static inline int dflat_read_wal_index_header(const void *index, dflat_wal_index_header *header) {
  const uint64_t *words = (const uint64_t *)index;
  for (int i = 0; i < 6; i++) header->words[i] = __atomic_load_n(&words[i], __ATOMIC_ACQUIRE);
  for (int i = 0; i < 6; i++) {
    if (__atomic_load_n(&words[6 + i], __ATOMIC_ACQUIRE) != header->words[i]) return 0;
  }
  return 1;
}

static inline int dflat_is_same_header(const dflat_wal_index_header *a, const dflat_wal_index_header *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

// Adds one to a number that threads share, and returns the sum.
static inline uint64_t dflat_add_one(uint64_t *number) { return __atomic_add_fetch(number, 1, __ATOMIC_RELAXED); }

// Whether the database's file has been renamed or removed since it was opened, or another file has its name.
static inline int dflat_has_moved(sqlite3 *database) {
  int moved = 0;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}
