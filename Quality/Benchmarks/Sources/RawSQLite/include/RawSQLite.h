// What the store's figures are held against: the SQLite C API doing the same work by hand, on the same tables.
#ifndef RAW_SQLITE_H
#define RAW_SQLITE_H

#include "RawDocs.h"
#include "RawKeys.h"
#include "RawWriting.h"

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

// Begins a read transaction on a connection, and reads from the file, so that the transaction has its snapshot. The calls
// until raw_end_reading are then made inside it. Both return 0, or SQLite's error code.
int raw_begin_reading(void *database);
int raw_end_reading(void *database);

// Fetches and decodes all posts. Returns how many, or -1.
int raw_fetch_all(void *database, raw_post **posts);

// Fetches and decodes the posts whose priority is above `least`, as the index of priorities finds them. What it says is not
// compared with the posts. Returns how many, or -1.
int raw_fetch_by_index(void *database, int32_t least, raw_post **posts);

// Fetches and decodes the posts whose titles, their primary keys, begin with each of `count` texts of ASCII, one after the other, with
// one prepared statement. Returns how many, or -1.
int raw_fetch_by_prefixes(void *database, const char *const *prefixes, int count, raw_post **posts);

// Fetches and decodes the rows that a statement with one parameter finds for each of `count` texts, one after the other. Returns how
// many, or -1.
int raw_fetch_by_texts(void *database, const char *sql, const char *const *texts, int count, raw_post **posts);

// Fetches and decodes the posts with `part` in their titles: by memmem on each row's bytes, or by LIKE, which looks at no case of
// ASCII. Returns how many, or -1.
int raw_fetch_by_part(void *database, const char *part, raw_post **posts);
int raw_fetch_like(void *database, const char *pattern, raw_post **posts);
void raw_posts_free(raw_post *posts, int count);

// Keeps memory that has been freed in this process. The system's library gives back what other threads than the first have
// freed as soon as it is a lot, so that only who works on a queue, as the store does, would pay for getting it again.
void raw_keep_memory(void);

// Resident size of this process, in bytes; -1 when it cannot be found out.
int64_t raw_resident_memory(void);

// The version of the SQLite library that is linked.
const char *raw_sqlite_version(void);

#endif
