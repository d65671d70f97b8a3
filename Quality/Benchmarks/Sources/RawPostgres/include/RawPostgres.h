// What the store on PostgreSQL is held against: libpq doing the same work by hand, on a table of the same columns.
#ifndef RAW_POSTGRES_H
#define RAW_POSTGRES_H

#include <stdint.h>

typedef struct {
  const char *title;
  int32_t title_length;
  const uint8_t *bytes;
  int32_t byte_count;
} raw_pg_row;

// A connection with a table `raw`, which is made anew if `is_new`. NULL when that fails.
void *raw_pg_open(const char *connection, int is_new);
void raw_pg_close(void *connection);

// Inserts rows in one serializable transaction, all statements in one pipeline. The row numbers follow `first`. Returns 0.
int raw_pg_insert(void *connection, const raw_pg_row *rows, int count, int64_t first);

// Reads the row of each title, one after the other. Returns how many were found.
int raw_pg_by_title(void *connection, const raw_pg_row *rows, int count);

// Streams all rows, and counts those whose field of four bytes at `slot` is above `least`.
int raw_pg_scan(void *connection, int slot, int32_t least);

// Reads and writes one row after the other, each in a serializable transaction that is tried again while it conflicts. Returns
// how often that was.
int raw_pg_update(void *connection, const raw_pg_row *rows, int count);

#endif
