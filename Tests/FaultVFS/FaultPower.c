#include "FaultPower.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "FaultVFS.h"

// What was written and not synced since: nobody knows whether it is on the disk.
typedef struct {
  int is_truncation;
  size_t at, count;
  unsigned char *bytes;
} change;

struct power_file {
  char *path;
  int exists;
  // What is on the disk for sure.
  unsigned char *bytes;
  size_t size;
  change *changes;
  size_t change_count, change_capacity;
  struct power_file *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static power_file *files;
static int is_recording;
static long remaining;
static atomic_int has_failed;

static void *enough(void *memory) {
  if (!memory) abort();
  return memory;
}

static void forget_changes(power_file *file) {
  for (size_t i = 0; i < file->change_count; i++) free(file->changes[i].bytes);
  file->change_count = 0;
}

// Makes what is in the file now what is on the disk.
static void settle(power_file *file) {
  forget_changes(file);
  free(file->bytes);
  file->bytes = NULL;
  file->size = 0;
  FILE *in = fopen(file->path, "rb");
  file->exists = in != NULL;
  if (!in) return;
  fseek(in, 0, SEEK_END);
  long size = ftell(in);
  rewind(in);
  file->bytes = enough(malloc(size > 0 ? (size_t)size : 1));
  file->size = fread(file->bytes, 1, size > 0 ? (size_t)size : 0, in);
  fclose(in);
}

static power_file *find(const char *path) {
  power_file *file = files;
  while (file && strcmp(file->path, path) != 0) file = file->next;
  return file;
}

power_file *power_open(const char *path) {
  if (!strstr(path, POWER_MARKER)) return NULL;
  pthread_mutex_lock(&lock);
  power_file *file = NULL;
  if (is_recording) {
    file = find(path);
    if (!file) {
      file = enough(calloc(1, sizeof *file));
      file->path = enough(strdup(path));
      file->next = files;
      files = file;
      settle(file);
    }
  }
  pthread_mutex_unlock(&lock);
  return file;
}

void power_opened(power_file *file) {
  if (!file) return;
  pthread_mutex_lock(&lock);
  if (is_recording) file->exists = 1;
  pthread_mutex_unlock(&lock);
}

// With the lock.
static void count_call(void) {
  if (--remaining > 0) return;
  is_recording = 0;
  atomic_store(&has_failed, 1);
}

static void note(power_file *file, change change) {
  if (file->change_count == file->change_capacity) {
    file->change_capacity = file->change_capacity ? 2 * file->change_capacity : 64;
    file->changes = enough(realloc(file->changes, file->change_capacity * sizeof *file->changes));
  }
  file->changes[file->change_count++] = change;
}

void power_write(power_file *file, const void *bytes, size_t count, size_t at) {
  if (!file) return;
  pthread_mutex_lock(&lock);
  if (is_recording) {
    change written = {0, at, count, enough(malloc(count ? count : 1))};
    memcpy(written.bytes, bytes, count);
    note(file, written);
    count_call();
  }
  pthread_mutex_unlock(&lock);
}

void power_truncate(power_file *file, size_t size) {
  if (!file) return;
  pthread_mutex_lock(&lock);
  if (is_recording) {
    note(file, (change){1, size, 0, NULL});
    count_call();
  }
  pthread_mutex_unlock(&lock);
}

void power_sync(power_file *file) {
  if (!file) return;
  pthread_mutex_lock(&lock);
  if (is_recording) {
    // The power may fail before the sync has done anything.
    count_call();
    if (is_recording) settle(file);
  }
  pthread_mutex_unlock(&lock);
}

void power_delete(const char *path) {
  pthread_mutex_lock(&lock);
  power_file *file = is_recording ? find(path) : NULL;
  if (file) {
    forget_changes(file);
    file->size = 0;
    file->exists = 0;
  }
  pthread_mutex_unlock(&lock);
}

void power_begin(long n) {
  power_end();
  pthread_mutex_lock(&lock);
  remaining = n;
  is_recording = 1;
  atomic_store(&has_failed, 0);
  pthread_mutex_unlock(&lock);
}

int power_has_failed(void) { return atomic_load(&has_failed); }

void power_fail(void) {
  pthread_mutex_lock(&lock);
  is_recording = 0;
  atomic_store(&has_failed, 1);
  pthread_mutex_unlock(&lock);
}

static unsigned next_random(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 16;
}

static void set_size(unsigned char **bytes, size_t *size, size_t *capacity, size_t wanted) {
  if (wanted > *capacity) {
    *capacity = 2 * wanted;
    *bytes = enough(realloc(*bytes, *capacity));
  }
  if (wanted > *size) memset(*bytes + *size, 0, wanted - *size);
  *size = wanted;
}

int power_image(const char *path, const char *to, int percent, unsigned seed) {
  enum { sector = 512 };
  pthread_mutex_lock(&lock);
  power_file *file = find(path);
  int exists = file && file->exists;
  if (exists) {
    size_t size = file->size, capacity = size + 1;
    unsigned char *bytes = enough(malloc(capacity));
    if (size > 0) memcpy(bytes, file->bytes, size);
    for (size_t i = 0; i < file->change_count; i++) {
      change *change = &file->changes[i];
      if (change->is_truncation) {
        if (next_random(&seed) % 100 < (unsigned)percent) set_size(&bytes, &size, &capacity, change->at);
        continue;
      }
      size_t done = 0;
      while (done < change->count) {
        size_t at = change->at + done;
        size_t count = sector - at % sector;
        if (count > change->count - done) count = change->count - done;
        if (next_random(&seed) % 100 < (unsigned)percent) {
          if (at + count > size) set_size(&bytes, &size, &capacity, at + count);
          memcpy(bytes + at, change->bytes + done, count);
        }
        done += count;
      }
    }
    FILE *out = fopen(to, "wb");
    if (!out || fwrite(bytes, 1, size, out) != size || fclose(out) != 0) abort();
    free(bytes);
  }
  pthread_mutex_unlock(&lock);
  return exists;
}

void power_end(void) {
  pthread_mutex_lock(&lock);
  is_recording = 0;
  // Connections may still refer to the files: they are emptied, and stay.
  for (power_file *file = files; file; file = file->next) {
    forget_changes(file);
    free(file->bytes);
    file->bytes = NULL;
    file->size = 0;
    file->path[0] = '\0';
  }
  pthread_mutex_unlock(&lock);
}
