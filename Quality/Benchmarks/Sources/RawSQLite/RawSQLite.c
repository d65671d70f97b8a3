// For memmem.
#define _GNU_SOURCE
#include "RawSQLite.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __APPLE__
#include <mach/mach.h>
#endif

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

static void decode(const uint8_t *bytes, raw_post *post) {
  const uint8_t *table = bytes + u32(bytes), *p;
  post->title = string(field(table, 4));
  post->color = (p = field(table, 6)) ? (int8_t)*p : 0;
  post->tag = string(field(table, 8));
  post->priority = (p = field(table, 10)) ? (int32_t)u32(p) : 0;
  post->text = NULL;
  const uint8_t *type = field(table, 12), *content = field(table, 14);
  if (type && *type == 1 && content) post->text = string(field(content + u32(content), 4));
}

int raw_begin_reading(void *database) {
  return sqlite3_exec(database, "BEGIN; SELECT 1 FROM sqlite_master LIMIT 1", NULL, NULL, NULL);
}

int raw_end_reading(void *database) { return sqlite3_exec(database, "COMMIT", NULL, NULL, NULL); }

typedef struct {
  raw_post *posts;
  int count, capacity;
} found_posts;

static void append(found_posts *found, sqlite3_stmt *select) {
  if (found->count == found->capacity) {
    found->capacity = found->capacity ? 2 * found->capacity : 1024;
    found->posts = realloc(found->posts, found->capacity * sizeof *found->posts);
  }
  raw_post *post = &found->posts[found->count++];
  post->rowid = sqlite3_column_int64(select, 0);
  decode(sqlite3_column_blob(select, 1), post);
}

// Decodes the rows of a statement, and finalizes it.
static int fetch(sqlite3_stmt *select, raw_post **posts) {
  found_posts found = {0};
  int code;
  while ((code = sqlite3_step(select)) == SQLITE_ROW) append(&found, select);
  sqlite3_finalize(select);
  *posts = found.posts;
  return code == SQLITE_DONE ? found.count : -1;
}

int raw_fetch_all(void *database, raw_post **posts) {
  sqlite3_stmt *select = NULL;
  if (sqlite3_prepare_v2(database, "SELECT rowid, p FROM post", -1, &select, NULL) != SQLITE_OK) return -1;
  return fetch(select, posts);
}

int raw_fetch_by_index(void *database, int32_t least, raw_post **posts) {
  sqlite3_stmt *select = NULL;
  const char *sql = "SELECT m.rowid, m.p FROM post AS m JOIN post__f10 AS i ON i.rowid = m.rowid WHERE i.f10 > ?";
  if (sqlite3_prepare_v2(database, sql, -1, &select, NULL) != SQLITE_OK) return -1;
  sqlite3_bind_int(select, 1, least);
  return fetch(select, posts);
}

int raw_fetch_by_prefixes(void *database, const char *const *prefixes, int count, raw_post **posts) {
  sqlite3_stmt *select = NULL;
  const char *sql = "SELECT m.rowid, m.p FROM post AS m WHERE m.__pk0 >= ? AND m.__pk0 < ?";
  if (sqlite3_prepare_v2(database, sql, -1, &select, NULL) != SQLITE_OK) return -1;
  found_posts found = {0};
  int code = SQLITE_DONE;
  for (int i = 0; i < count && code == SQLITE_DONE; i++) {
    char end[64];
    size_t length = strlen(prefixes[i]);
    if (length == 0 || length >= sizeof end) break;
    memcpy(end, prefixes[i], length);
    end[length - 1]++;
    sqlite3_bind_text(select, 1, prefixes[i], (int)length, SQLITE_STATIC);
    sqlite3_bind_text(select, 2, end, (int)length, SQLITE_STATIC);
    while ((code = sqlite3_step(select)) == SQLITE_ROW) append(&found, select);
    sqlite3_reset(select);
  }
  sqlite3_finalize(select);
  *posts = found.posts;
  return code == SQLITE_DONE ? found.count : -1;
}

int raw_fetch_by_texts(void *database, const char *sql, const char *const *texts, int count, raw_post **posts) {
  sqlite3_stmt *select = NULL;
  if (sqlite3_prepare_v2(database, sql, -1, &select, NULL) != SQLITE_OK) return -1;
  found_posts found = {0};
  int code = SQLITE_DONE;
  for (int i = 0; i < count && code == SQLITE_DONE; i++) {
    sqlite3_bind_text(select, 1, texts[i], -1, SQLITE_STATIC);
    while ((code = sqlite3_step(select)) == SQLITE_ROW) append(&found, select);
    sqlite3_reset(select);
  }
  sqlite3_finalize(select);
  *posts = found.posts;
  return code == SQLITE_DONE ? found.count : -1;
}

int raw_fetch_by_part(void *database, const char *part, raw_post **posts) {
  sqlite3_stmt *select = NULL;
  if (sqlite3_prepare_v2(database, "SELECT rowid, p FROM post", -1, &select, NULL) != SQLITE_OK) return -1;
  found_posts found = {0};
  size_t length = strlen(part);
  int code;
  while ((code = sqlite3_step(select)) == SQLITE_ROW) {
    const uint8_t *bytes = sqlite3_column_blob(select, 1);
    const uint8_t *title = field(bytes + u32(bytes), 4);
    if (!title) continue;
    title += u32(title);
    if (memmem(title + 4, u32(title), part, length)) append(&found, select);
  }
  sqlite3_finalize(select);
  *posts = found.posts;
  return code == SQLITE_DONE ? found.count : -1;
}

int raw_fetch_like(void *database, const char *pattern, raw_post **posts) {
  sqlite3_stmt *select = NULL;
  const char *sql = "SELECT rowid, p FROM post WHERE __pk0 LIKE ?";
  if (sqlite3_prepare_v2(database, sql, -1, &select, NULL) != SQLITE_OK) return -1;
  sqlite3_bind_text(select, 1, pattern, -1, SQLITE_STATIC);
  return fetch(select, posts);
}

void raw_posts_free(raw_post *posts, int count) {
  for (int i = 0; i < count; i++) {
    free(posts[i].title);
    free(posts[i].tag);
    free(posts[i].text);
  }
  free(posts);
}

void raw_keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int64_t raw_resident_memory(void) {
#ifdef __APPLE__
  mach_task_basic_info_data_t info;
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  if (task_info(mach_task_self(), MACH_TASK_BASIC_INFO, (task_info_t)&info, &count) != KERN_SUCCESS) return -1;
  return (int64_t)info.resident_size;
#else
  long pages = -1;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return -1;
  if (fscanf(file, "%*s %ld", &pages) != 1) pages = -1;
  fclose(file);
  return pages < 0 ? -1 : (int64_t)pages * sysconf(_SC_PAGESIZE);
#endif
}

const char *raw_sqlite_version(void) { return sqlite3_libversion(); }
