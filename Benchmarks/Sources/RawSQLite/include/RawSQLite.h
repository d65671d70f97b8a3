// What the store's figures are held against: the SQLite C API doing the same work by hand, on the same tables.
#ifndef RAW_SQLITE_H
#define RAW_SQLITE_H

#include "RawDocs.h"

#include <stdint.h>

// A post, decoded: strings are copies that raw_posts_free releases.
typedef struct {
  int64_t rowid;
  char *title;
  char *tag;
  char *text;
  int32_t priority;
  int8_t color;
} raw_post;

// The bytes of a post, and the columns that are stored beside them.
typedef struct {
  const char *title;
  int title_length;
  int32_t priority;
  const uint8_t *bytes;
  int byte_count;
} raw_row;

// Opens (and creates) a database with the tables that the store makes for Post. NULL when that fails.
void *raw_open(const char *path);
void raw_close(void *database);

// Inserts all rows in one transaction. Returns 0, or SQLite's error code.
int raw_insert(void *database, const raw_row *rows, int count);

// Makes each commit wait until it is on the disk.
int raw_set_full(void *database);

// Replaces the rows 1 to count: in one transaction, or each in its own. Returns 0, or SQLite's error code.
int raw_update(void *database, const raw_row *rows, int count, int in_one);

// Deletes the rows 1 to count in one transaction. Returns 0, or SQLite's error code.
int raw_delete(void *database, int count);

// Inserts the rows into as many tables as there are threads, each with a connection and a transaction of its own; one
// writes at a time. Returns 0, or SQLite's error code.
int raw_insert_from_threads(const char *path, const raw_row *rows, int count, int threads);

// Fetches and decodes all posts. Returns how many, or -1.
int raw_fetch_all(void *database, raw_post **posts);
void raw_posts_free(raw_post *posts, int count);

// Resident size of this process, in bytes; -1 when it cannot be found out.
int64_t raw_resident_memory(void);

// Peak resident size of the finished children of this process, in bytes.
int64_t raw_peak_child_memory(void);

#endif
