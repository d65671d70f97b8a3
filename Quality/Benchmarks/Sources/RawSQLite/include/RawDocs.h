// What the store's fetches are held against: the SQLite C API reading the same file, every row decoded by hand.
#ifndef RAW_DOCS_H
#define RAW_DOCS_H

#include <stdint.h>

// A document, decoded: strings are copies that raw_docs_free releases.
typedef struct {
  int64_t rowid;
  char *title;
  char *tag;
  char *text;
  float x, y, z;
  int32_t priority;
  int8_t color;
} raw_doc;

// Opens a file that the store has written. NULL when that fails.
void *raw_docs_open(const char *path);

// Fetches the documents whose priority is above `least`, or, when `tag` is not NULL, whose tag it is. Returns how many, or
// -1.
int raw_docs_scan(void *database, int32_t least, const char *tag, raw_doc **docs);

// Fetches the documents of a range of rows. Returns how many, or -1.
int raw_docs_between(void *database, int64_t first, int64_t last, raw_doc **docs);

// Indexes the documents by their priorities, for raw_docs_by_priority: 0, or -1 if that fails.
int raw_docs_index_priorities(void *database);

// The documents with priorities from `first` to `last`, at most `most`, in the order of their priorities: their number, or -1.
int raw_docs_by_priority(void *database, int64_t first, int64_t last, int most, raw_doc **docs);

// Counts the documents whose priority is above `least`, and decodes nothing else of them. Returns how many, or -1.
int raw_docs_count(void *database, int32_t least);

// Fetches one document for each title, one after the other, each in a read transaction of its own,
// unless one has begun. Returns how many, or -1.
int raw_docs_by_title(void *database, const char *const *titles, int count, raw_doc **docs);
void raw_docs_free(raw_doc *docs, int count);

#endif
