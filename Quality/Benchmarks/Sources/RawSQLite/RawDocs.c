#include "RawDocs.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

void *raw_docs_open(const char *path) {
  sqlite3 *db = NULL;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
    sqlite3_close(db);
    return NULL;
  }
  return db;
}

// FlatBuffers by hand, trusting the bytes (https://flatbuffers.dev/internals).
static uint16_t u16(const uint8_t *p) { uint16_t v; memcpy(&v, p, 2); return v; }
static uint32_t u32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }

static const uint8_t *field(const uint8_t *table, int slot) {
  const uint8_t *vtable = table - (int32_t)u32(table);
  if (slot >= u16(vtable)) return NULL;
  uint16_t offset = u16(vtable + slot);
  return offset ? table + offset : NULL;
}

static char *string(const uint8_t *p) {
  if (!p) return NULL;
  p += u32(p);
  uint32_t length = u32(p);
  char *copy = malloc(length + 1);
  memcpy(copy, p + 4, length + 1);
  return copy;
}

static int has_tag(const uint8_t *table, const char *tag, size_t length) {
  const uint8_t *p = field(table, 14);
  if (!p) return 0;
  p += u32(p);
  return u32(p) == length && memcmp(p + 4, tag, length) == 0;
}

static int32_t priority(const uint8_t *table) {
  const uint8_t *p = field(table, 16);
  return p ? (int32_t)u32(p) : 0;
}

static void decode(const uint8_t *table, raw_doc *doc) {
  const uint8_t *p;
  doc->x = doc->y = doc->z = 0;
  if ((p = field(table, 4))) {
    memcpy(&doc->x, p, 4);
    memcpy(&doc->y, p + 4, 4);
    memcpy(&doc->z, p + 8, 4);
  }
  doc->color = (p = field(table, 6)) ? (int8_t)*p : 0;
  doc->title = string(field(table, 8));
  doc->text = NULL;
  const uint8_t *type = field(table, 10), *content = field(table, 12);
  if (type && *type == 1 && content) doc->text = string(field(content + u32(content), 4));
  doc->tag = string(field(table, 14));
  doc->priority = priority(table);
}

int raw_docs_scan(void *database, int32_t least, const char *tag, raw_doc **docs) {
  sqlite3_stmt *select = NULL;
  if (sqlite3_prepare_v2(database, "SELECT rowid, p FROM benchdoc", -1, &select, NULL) != SQLITE_OK) return -1;
  int count = 0, capacity = 1024, code;
  size_t length = tag ? strlen(tag) : 0;
  raw_doc *found = malloc(capacity * sizeof *found);
  while ((code = sqlite3_step(select)) == SQLITE_ROW) {
    const uint8_t *bytes = sqlite3_column_blob(select, 1), *table = bytes + u32(bytes);
    if (tag ? !has_tag(table, tag, length) : priority(table) <= least) continue;
    if (count == capacity) found = realloc(found, (capacity *= 2) * sizeof *found);
    found[count].rowid = sqlite3_column_int64(select, 0);
    decode(table, &found[count++]);
  }
  sqlite3_finalize(select);
  *docs = found;
  return code == SQLITE_DONE ? count : -1;
}

int raw_docs_between(void *database, int64_t first, int64_t last, raw_doc **docs) {
  sqlite3_stmt *select = NULL;
  if (sqlite3_prepare_v2(database, "SELECT rowid, p FROM benchdoc WHERE rowid BETWEEN ?1 AND ?2", -1, &select, NULL)
      != SQLITE_OK)
    return -1;
  sqlite3_bind_int64(select, 1, first);
  sqlite3_bind_int64(select, 2, last);
  int count = 0, code;
  raw_doc *found = malloc((last - first + 1) * sizeof *found);
  while ((code = sqlite3_step(select)) == SQLITE_ROW) {
    const uint8_t *bytes = sqlite3_column_blob(select, 1);
    found[count].rowid = sqlite3_column_int64(select, 0);
    decode(bytes + u32(bytes), &found[count++]);
  }
  sqlite3_finalize(select);
  *docs = found;
  return code == SQLITE_DONE ? count : -1;
}

int raw_docs_index_priorities(void *database) {
  sqlite3_stmt *select = NULL, *insert = NULL;
  const char *table =
      "DROP TABLE IF EXISTS temp.priorities;"
      "CREATE TABLE temp.priorities (priority INTEGER, id INTEGER, PRIMARY KEY (priority, id)) WITHOUT ROWID; BEGIN";
  int code = sqlite3_exec(database, table, NULL, NULL, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(database, "SELECT rowid, p FROM benchdoc", -1, &select, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(database, "INSERT INTO temp.priorities VALUES (?1, ?2)", -1, &insert, NULL);
  while (code == SQLITE_OK && (code = sqlite3_step(select)) == SQLITE_ROW) {
    const uint8_t *bytes = sqlite3_column_blob(select, 1);
    sqlite3_bind_int64(insert, 1, priority(bytes + u32(bytes)));
    sqlite3_bind_int64(insert, 2, sqlite3_column_int64(select, 0));
    code = sqlite3_step(insert) == SQLITE_DONE ? sqlite3_reset(insert) : SQLITE_ERROR;
  }
  sqlite3_finalize(select);
  sqlite3_finalize(insert);
  return sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK && code == SQLITE_DONE ? 0 : -1;
}

int raw_docs_by_priority(void *database, int64_t first, int64_t last, int most, raw_doc **docs) {
  sqlite3_stmt *select = NULL;
  const char *sql =
      "SELECT d.rowid, d.p FROM temp.priorities AS i CROSS JOIN benchdoc AS d ON d.rowid = i.id"
      " WHERE i.priority BETWEEN ?1 AND ?2 ORDER BY i.priority LIMIT ?3";
  if (sqlite3_prepare_v2(database, sql, -1, &select, NULL) != SQLITE_OK) return -1;
  sqlite3_bind_int64(select, 1, first);
  sqlite3_bind_int64(select, 2, last);
  sqlite3_bind_int(select, 3, most);
  int count = 0, code;
  raw_doc *found = malloc(most * sizeof *found);
  while ((code = sqlite3_step(select)) == SQLITE_ROW) {
    const uint8_t *bytes = sqlite3_column_blob(select, 1);
    found[count].rowid = sqlite3_column_int64(select, 0);
    decode(bytes + u32(bytes), &found[count++]);
  }
  sqlite3_finalize(select);
  *docs = found;
  return code == SQLITE_DONE ? count : -1;
}

int raw_docs_count(void *database, int32_t least) {
  sqlite3_stmt *select = NULL;
  if (sqlite3_prepare_v2(database, "SELECT p FROM benchdoc", -1, &select, NULL) != SQLITE_OK) return -1;
  int count = 0, code;
  while ((code = sqlite3_step(select)) == SQLITE_ROW) {
    const uint8_t *bytes = sqlite3_column_blob(select, 0);
    count += priority(bytes + u32(bytes)) > least;
  }
  sqlite3_finalize(select);
  return code == SQLITE_DONE ? count : -1;
}

int raw_docs_by_title(void *database, const char *const *titles, int count, raw_doc **docs) {
  sqlite3_stmt *select = NULL;
  if (sqlite3_prepare_v2(database, "SELECT rowid, p FROM benchdoc WHERE __pk0 = ?1", -1, &select, NULL) != SQLITE_OK)
    return -1;
  int found = 0;
  *docs = malloc(count * sizeof **docs);
  for (int i = 0; i < count; i++) {
    sqlite3_bind_text(select, 1, titles[i], -1, SQLITE_STATIC);
    if (sqlite3_step(select) == SQLITE_ROW) {
      const uint8_t *bytes = sqlite3_column_blob(select, 1);
      raw_doc *doc = &(*docs)[found++];
      doc->rowid = sqlite3_column_int64(select, 0);
      decode(bytes + u32(bytes), doc);
    }
    sqlite3_reset(select);
  }
  sqlite3_finalize(select);
  return found;
}

void raw_docs_free(raw_doc *docs, int count) {
  for (int i = 0; i < count; i++) {
    free(docs[i].title);
    free(docs[i].tag);
    free(docs[i].text);
  }
  free(docs);
}
