#include "RawWriting.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>

enum { max_threads = 16 };

// What one of the threads does. Its table is opened by it, or before.
typedef struct {
  raw_table table;
  const char *path;
  const raw_row *rows;
  int count;
  int number;
  pthread_mutex_t *writing;
  int code;
} job;

static void *insert_lines(void *argument) {
  job *job = argument;
  char name[32];
  snprintf(name, sizeof name, "line%d", job->number);
  pthread_mutex_lock(job->writing);
  job->table = raw_open(job->path, name, 0, 0);
  job->code = job->table.database ? raw_insert(&job->table, job->rows, job->count, 1) : SQLITE_CANTOPEN;
  pthread_mutex_unlock(job->writing);
  return NULL;
}

static void *delete_lines(void *argument) {
  job *job = argument;
  pthread_mutex_lock(job->writing);
  job->code = raw_delete(&job->table, job->count);
  pthread_mutex_unlock(job->writing);
  return NULL;
}

// Does each job in a thread of its own. One thread writes at a time.
static int run_threads(job *jobs, int threads, void *(*body)(void *)) {
  pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
  pthread_t started[max_threads];
  int running = 0, code = SQLITE_OK;
  for (; running < threads; running++) {
    jobs[running].writing = &writing;
    jobs[running].code = SQLITE_ERROR;
    if (pthread_create(&started[running], NULL, body, &jobs[running]) != 0) {
      code = SQLITE_ERROR;
      break;
    }
  }
  for (int i = 0; i < running; i++) {
    pthread_join(started[i], NULL);
    if (jobs[i].code != SQLITE_OK) code = jobs[i].code;
  }
  return code;
}

int raw_insert_from_threads(const char *path, const raw_row *rows, int count, int threads, void **databases) {
  job jobs[max_threads];
  for (int i = 0; i < threads; i++) databases[i] = NULL;
  if (threads > max_threads) return SQLITE_MISUSE;
  for (int i = 0; i < threads; i++) jobs[i] = (job){.path = path, .rows = rows, .count = count, .number = i};
  int code = run_threads(jobs, threads, insert_lines);
  for (int i = 0; i < threads; i++) databases[i] = jobs[i].table.database;
  return code;
}

int raw_delete_from_threads(const raw_table *tables, int count, int threads) {
  job jobs[max_threads];
  if (threads > max_threads) return SQLITE_MISUSE;
  for (int i = 0; i < threads; i++) jobs[i] = (job){.table = tables[i], .count = count};
  return run_threads(jobs, threads, delete_lines);
}
