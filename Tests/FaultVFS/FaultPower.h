// What is on the disk when the power fails: kept for the files that the file system of `FaultVFS` opens in a folder whose
// path has POWER_MARKER in it. Within the target.
#ifndef FAULT_POWER_H
#define FAULT_POWER_H

#include <stddef.h>

#define POWER_MARKER "dflat-power"

typedef struct power_file power_file;

// Before a file is opened: nil when nothing is recorded.
power_file *power_open(const char *path);
// When it has been, and is there.
void power_opened(power_file *file);
void power_write(power_file *file, const void *bytes, size_t count, size_t at);
void power_truncate(power_file *file, size_t size);
void power_sync(power_file *file);
void power_delete(const char *path);

#endif
