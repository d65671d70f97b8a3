// What the dictionary's figures are held against: the SQLite C API on a table of keys and values, and nothing else.
#ifndef RAW_KEYS_H
#define RAW_KEYS_H

#include <stdint.h>

typedef struct {
  const char *key;
  int32_t key_length;
  int64_t number;
  // If `bytes` is not NULL, the value is these bytes, and not the number.
  const void *bytes;
  int32_t byte_count;
} raw_entry;

// Opens a file in WAL mode, and makes the table if it is missing. NULL when that fails.
void *raw_keys_open(const char *path);

// Inserts or replaces all entries in one transaction. Returns 0, or SQLite's error code.
int raw_keys_upsert(void *database, const raw_entry *entries, int count);

// Reads the number of each key, one after the other, each in a read transaction of its own. Returns their sum, or -1.
int64_t raw_keys_read(void *database, const raw_entry *entries, int count);

#endif
