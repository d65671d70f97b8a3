// What the store's writing is held against: the SQLite C API doing the same work by hand, on the same tables.
#ifndef RAW_WRITING_H
#define RAW_WRITING_H

#include <stdint.h>

// The bytes of an object, and the columns that are stored beside them.
typedef struct {
  const char *title;
  int title_length;
  int32_t priority;
  const uint8_t *bytes;
  int byte_count;
} raw_row;

// A table as the store makes it, in a database that is open: objects beside their titles, which are the primary key. One
// with an index has a second table for it, of priorities, with the names that the store gives to that of Post.
typedef struct {
  void *database;
  char name[32];
  int has_index;
} raw_table;

// Opens (and creates) the file of a table. When it is `full`, a commit waits until it is on the disk. `database` is NULL
// when that fails.
raw_table raw_open(const char *path, const char *name, int has_index, int full);
void raw_close(void *database);

// What follows returns 0, or SQLite's error code.

// Reads a row, so that the file is in use.
int raw_touch(const raw_table *table);

// Makes the table and inserts the rows: in one transaction, or the table and each row in its own.
int raw_insert(const raw_table *table, const raw_row *rows, int count, int in_one);

// Replaces the rows 1 to count: in one transaction, or each in its own.
int raw_update(const raw_table *table, const raw_row *rows, int count, int in_one);

// Deletes the rows 1 to count in one transaction.
int raw_delete(const raw_table *table, int count);

// Inserts the rows into as many tables as there are threads, line0 and so on, each through a connection and in a
// transaction of its own; one writes at a time. The connections stay open, as the store's do: raw_close closes them.
int raw_insert_from_threads(const char *path, const raw_row *rows, int count, int threads, void **databases);

// Deletes the rows 1 to count of as many tables as there are threads, each through its own connection and in a transaction
// of its own; one writes at a time.
int raw_delete_from_threads(const raw_table *tables, int count, int threads);

// Whether these rows and no others are in the table, and in that of its index: 1 or 0.
int raw_holds(const raw_table *table, const raw_row *rows, int count);

#endif
