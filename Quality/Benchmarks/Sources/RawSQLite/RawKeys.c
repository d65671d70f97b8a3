#include "RawKeys.h"

#include <sqlite3.h>
#include <stddef.h>

void *raw_keys_open(const char *path) {
  sqlite3 *db = NULL;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
      sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_exec(db, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_exec(db, "CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, value)", NULL, NULL, NULL) != SQLITE_OK) {
    sqlite3_close(db);
    return NULL;
  }
  return db;
}

int raw_keys_upsert(void *database, const raw_entry *entries, int count) {
  sqlite3 *db = database;
  sqlite3_stmt *upsert = NULL;
  int status = sqlite3_prepare_v2(
      db, "INSERT INTO entry (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", -1, &upsert,
      NULL);
  if (status == SQLITE_OK) status = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  for (int i = 0; i < count && status == SQLITE_OK; i++) {
    sqlite3_bind_text(upsert, 1, entries[i].key, entries[i].key_length, SQLITE_STATIC);
    if (entries[i].bytes) {
      sqlite3_bind_blob(upsert, 2, entries[i].bytes, entries[i].byte_count, SQLITE_STATIC);
    } else {
      sqlite3_bind_int64(upsert, 2, entries[i].number);
    }
    status = sqlite3_step(upsert) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(db);
    sqlite3_reset(upsert);
  }
  sqlite3_finalize(upsert);
  if (status != SQLITE_OK) return status;
  return sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
}

int64_t raw_keys_read(void *database, const raw_entry *entries, int count) {
  sqlite3_stmt *select = NULL;
  if (sqlite3_prepare_v2(database, "SELECT value FROM entry WHERE key = ?", -1, &select, NULL) != SQLITE_OK) return -1;
  int64_t sum = 0;
  for (int i = 0; i < count; i++) {
    sqlite3_bind_text(select, 1, entries[i].key, entries[i].key_length, SQLITE_STATIC);
    if (sqlite3_step(select) != SQLITE_ROW) {
      sum = -1;
      break;
    }
    sum += sqlite3_column_int64(select, 0);
    sqlite3_reset(select);
  }
  sqlite3_finalize(select);
  return sum;
}
