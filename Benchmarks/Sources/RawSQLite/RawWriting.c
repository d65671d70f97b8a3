#include "RawSQLite.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL); }

static int step(sqlite3 *db, sqlite3_stmt *statement) {
  int code = sqlite3_step(statement) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(db);
  sqlite3_reset(statement);
  return code;
}

int raw_set_full(void *database) { return run(database, "PRAGMA synchronous=FULL"); }

int raw_update(void *database, const raw_row *rows, int count, int in_one) {
  sqlite3 *db = database;
  sqlite3_stmt *begin = NULL, *commit = NULL, *update = NULL, *index = NULL;
  int code = sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, "COMMIT", -1, &commit, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, "UPDATE post SET p = ?1 WHERE rowid = ?2", -1, &update, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(db, "UPDATE post__f10 SET f10 = ?1 WHERE rowid = ?2", -1, &index, NULL);
  if (code == SQLITE_OK && in_one) code = step(db, begin);
  for (int i = 0; i < count && code == SQLITE_OK; i++) {
    if (!in_one) code = step(db, begin);
    sqlite3_bind_blob(update, 1, rows[i].bytes, rows[i].byte_count, SQLITE_STATIC);
    sqlite3_bind_int64(update, 2, i + 1);
    if (code == SQLITE_OK) code = step(db, update);
    sqlite3_bind_int(index, 1, rows[i].priority);
    sqlite3_bind_int64(index, 2, i + 1);
    if (code == SQLITE_OK) code = step(db, index);
    if (code == SQLITE_OK && !in_one) code = step(db, commit);
  }
  if (code == SQLITE_OK && in_one) code = step(db, commit);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_finalize(update);
  sqlite3_finalize(index);
  return code;
}

int raw_delete(void *database, int count) {
  sqlite3 *db = database;
  sqlite3_stmt *row = NULL, *index = NULL;
  int code = run(db, "BEGIN IMMEDIATE");
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, "DELETE FROM post WHERE rowid = ?1", -1, &row, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, "DELETE FROM post__f10 WHERE rowid = ?1", -1, &index, NULL);
  for (int i = 1; i <= count && code == SQLITE_OK; i++) {
    sqlite3_bind_int64(row, 1, i);
    code = step(db, row);
    sqlite3_bind_int64(index, 1, i);
    if (code == SQLITE_OK) code = step(db, index);
  }
  sqlite3_finalize(row);
  sqlite3_finalize(index);
  int end = run(db, code == SQLITE_OK ? "COMMIT" : "ROLLBACK");
  return code == SQLITE_OK ? end : code;
}

typedef struct {
  const char *path;
  const raw_row *rows;
  int count;
  int number;
  pthread_mutex_t *writing;
  int code;
} job;

static void *insert_lines(void *argument) {
  job *job = argument;
  sqlite3 *db = NULL;
  sqlite3_stmt *insert = NULL;
  char sql[200];
  job->code = sqlite3_open_v2(job->path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
  if (db) sqlite3_busy_timeout(db, 10000);
  pthread_mutex_lock(job->writing);
  if (job->code == SQLITE_OK) job->code = run(db, "PRAGMA journal_mode=WAL");
  if (job->code == SQLITE_OK) job->code = run(db, "PRAGMA synchronous=NORMAL");
  if (job->code == SQLITE_OK) job->code = run(db, "BEGIN IMMEDIATE");
  snprintf(sql, sizeof sql,
           "CREATE TABLE line%d (rowid INTEGER PRIMARY KEY AUTOINCREMENT, __pk0 TEXT, p BLOB, UNIQUE(__pk0))", job->number);
  if (job->code == SQLITE_OK) job->code = run(db, sql);
  snprintf(sql, sizeof sql, "INSERT INTO line%d (__pk0, p) VALUES (?1, ?2)", job->number);
  if (job->code == SQLITE_OK) job->code = sqlite3_prepare_v2(db, sql, -1, &insert, NULL);
  for (int i = 0; i < job->count && job->code == SQLITE_OK; i++) {
    sqlite3_bind_text(insert, 1, job->rows[i].title, job->rows[i].title_length, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 2, job->rows[i].bytes, job->rows[i].byte_count, SQLITE_STATIC);
    job->code = step(db, insert);
  }
  sqlite3_finalize(insert);
  if (job->code == SQLITE_OK) job->code = run(db, "COMMIT");
  sqlite3_close(db);
  pthread_mutex_unlock(job->writing);
  return NULL;
}

int raw_insert_from_threads(const char *path, const raw_row *rows, int count, int threads) {
  pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
  pthread_t started[16];
  job jobs[16];
  if (threads > 16) return SQLITE_MISUSE;
  for (int i = 0; i < threads; i++) {
    jobs[i] = (job){path, rows, count, i, &writing, SQLITE_ERROR};
    if (pthread_create(&started[i], NULL, insert_lines, &jobs[i]) != 0) return SQLITE_ERROR;
  }
  int code = SQLITE_OK;
  for (int i = 0; i < threads; i++) {
    pthread_join(started[i], NULL);
    if (jobs[i].code != SQLITE_OK) code = jobs[i].code;
  }
  return code;
}
