#include "RawWriting.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL); }

static int step(sqlite3 *db, sqlite3_stmt *statement) {
  int code = sqlite3_step(statement) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(db);
  sqlite3_reset(statement);
  return code;
}

// SQL with the name of the table in it.
static int run_named(const raw_table *table, const char *format) {
  char sql[200];
  snprintf(sql, sizeof sql, format, table->name, table->name);
  return run(table->database, sql);
}

static int prepare_named(const raw_table *table, const char *format, sqlite3_stmt **statement) {
  char sql[200];
  snprintf(sql, sizeof sql, format, table->name);
  return sqlite3_prepare_v2(table->database, sql, -1, statement, NULL);
}

// Ends the transaction that a job has done in one.
static int end(sqlite3 *db, int code) {
  int ended = run(db, code == SQLITE_OK ? "COMMIT" : "ROLLBACK");
  return code == SQLITE_OK ? ended : code;
}

raw_table raw_open(const char *path, const char *name, int has_index, int full) {
  sqlite3 *db = NULL;
  raw_table table = {NULL, "", has_index};
  snprintf(table.name, sizeof table.name, "%s", name);
  int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code == SQLITE_OK) code = run(db, "PRAGMA journal_mode=WAL");
  if (code == SQLITE_OK) code = run(db, full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
  if (code == SQLITE_OK)
    table.database = db;
  else
    sqlite3_close(db);
  return table;
}

void raw_close(void *database) { sqlite3_close(database); }

int raw_touch(const raw_table *table) {
  sqlite3_stmt *select = NULL;
  int code = prepare_named(table, "SELECT p FROM %s LIMIT 1", &select);
  if (code == SQLITE_OK && sqlite3_step(select) != SQLITE_ROW) code = SQLITE_EMPTY;
  sqlite3_finalize(select);
  return code;
}

static int create(const raw_table *table) {
  int code = run_named(
      table, "CREATE TABLE %s (rowid INTEGER PRIMARY KEY AUTOINCREMENT, __pk0 TEXT, p BLOB, UNIQUE(__pk0))");
  if (code != SQLITE_OK || !table->has_index) return code;
  code = run_named(table, "CREATE TABLE %s__f10 (rowid INTEGER PRIMARY KEY, f10 INTEGER)");
  return code != SQLITE_OK ? code : run_named(table, "CREATE INDEX index__%s__f10 ON %s__f10 (f10)");
}

int raw_insert(const raw_table *table, const raw_row *rows, int count, int in_one) {
  sqlite3 *db = table->database;
  sqlite3_stmt *begin = NULL, *commit = NULL, *insert = NULL, *index = NULL;
  int code = sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, "COMMIT", -1, &commit, NULL);
  if (code == SQLITE_OK) code = step(db, begin);
  if (code == SQLITE_OK) code = create(table);
  if (code == SQLITE_OK && !in_one) code = step(db, commit);
  if (code == SQLITE_OK) code = prepare_named(table, "INSERT INTO %s (__pk0, p) VALUES (?1, ?2)", &insert);
  if (code == SQLITE_OK && table->has_index)
    code = prepare_named(table, "INSERT INTO %s__f10 (rowid, f10) VALUES (?1, ?2)", &index);
  for (int i = 0; i < count && code == SQLITE_OK; i++) {
    if (!in_one) code = step(db, begin);
    sqlite3_bind_text(insert, 1, rows[i].title, rows[i].title_length, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 2, rows[i].bytes, rows[i].byte_count, SQLITE_STATIC);
    if (code == SQLITE_OK) code = step(db, insert);
    if (code == SQLITE_OK && index) {
      sqlite3_bind_int64(index, 1, sqlite3_last_insert_rowid(db));
      sqlite3_bind_int(index, 2, rows[i].priority);
      code = step(db, index);
    }
    if (code == SQLITE_OK && !in_one) code = step(db, commit);
  }
  if (code == SQLITE_OK && in_one) code = step(db, commit);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_finalize(insert);
  sqlite3_finalize(index);
  return code;
}

int raw_update(const raw_table *table, const raw_row *rows, int count, int in_one) {
  sqlite3 *db = table->database;
  sqlite3_stmt *begin = NULL, *commit = NULL, *update = NULL, *index = NULL;
  int code = sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, "COMMIT", -1, &commit, NULL);
  if (code == SQLITE_OK) code = prepare_named(table, "UPDATE %s SET p = ?1 WHERE rowid = ?2", &update);
  if (code == SQLITE_OK && table->has_index)
    code = prepare_named(table, "UPDATE %s__f10 SET f10 = ?1 WHERE rowid = ?2", &index);
  if (code == SQLITE_OK && in_one) code = step(db, begin);
  for (int i = 0; i < count && code == SQLITE_OK; i++) {
    if (!in_one) code = step(db, begin);
    sqlite3_bind_blob(update, 1, rows[i].bytes, rows[i].byte_count, SQLITE_STATIC);
    sqlite3_bind_int64(update, 2, i + 1);
    if (code == SQLITE_OK) code = step(db, update);
    if (code == SQLITE_OK && index) {
      sqlite3_bind_int(index, 1, rows[i].priority);
      sqlite3_bind_int64(index, 2, i + 1);
      code = step(db, index);
    }
    if (code == SQLITE_OK && !in_one) code = step(db, commit);
  }
  if (code == SQLITE_OK && in_one) code = step(db, commit);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_finalize(update);
  sqlite3_finalize(index);
  return code;
}

int raw_delete(const raw_table *table, int count) {
  sqlite3 *db = table->database;
  sqlite3_stmt *row = NULL, *index = NULL;
  int code = run(db, "BEGIN IMMEDIATE");
  if (code == SQLITE_OK) code = prepare_named(table, "DELETE FROM %s WHERE rowid = ?1", &row);
  if (code == SQLITE_OK && table->has_index)
    code = prepare_named(table, "DELETE FROM %s__f10 WHERE rowid = ?1", &index);
  for (int i = 1; i <= count && code == SQLITE_OK; i++) {
    sqlite3_bind_int64(row, 1, i);
    code = step(db, row);
    if (code != SQLITE_OK || !index) continue;
    sqlite3_bind_int64(index, 1, i);
    code = step(db, index);
  }
  sqlite3_finalize(row);
  sqlite3_finalize(index);
  return end(db, code);
}

// MARK: What is there when a job is done

static int is_same(sqlite3_stmt *select, int column, const void *bytes, int count) {
  const void *found = sqlite3_column_blob(select, column);
  return found && sqlite3_column_bytes(select, column) == count && memcmp(found, bytes, count) == 0;
}

int raw_holds(const raw_table *table, const raw_row *rows, int count) {
  sqlite3_stmt *select = NULL, *index = NULL;
  int found = 0, is_right = prepare_named(table, "SELECT rowid, __pk0, p FROM %s ORDER BY rowid", &select) == SQLITE_OK;
  while (is_right && sqlite3_step(select) == SQLITE_ROW) {
    const raw_row *row = &rows[found++];
    is_right = found <= count && sqlite3_column_int64(select, 0) == found &&
               is_same(select, 1, row->title, row->title_length) && is_same(select, 2, row->bytes, row->byte_count);
  }
  is_right = is_right && found == count;
  if (is_right && table->has_index) {
    found = 0;
    is_right = prepare_named(table, "SELECT rowid, f10 FROM %s__f10 ORDER BY rowid", &index) == SQLITE_OK;
    while (is_right && sqlite3_step(index) == SQLITE_ROW) {
      const raw_row *row = &rows[found++];
      is_right = found <= count && sqlite3_column_int64(index, 0) == found &&
                 sqlite3_column_int(index, 1) == row->priority;
    }
    is_right = is_right && found == count;
  }
  sqlite3_finalize(select);
  sqlite3_finalize(index);
  return is_right;
}
