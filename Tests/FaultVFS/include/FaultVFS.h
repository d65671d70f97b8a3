// A file system for SQLite whose calls fail when they are told to: for tests.
#ifndef FAULT_VFS_H
#define FAULT_VFS_H

enum {
  FAULT_WRITE = 1,
  FAULT_SYNC = 2,
  FAULT_READ = 4,
  FAULT_OPEN = 8,
  FAULT_TRUNCATE = 16,
  FAULT_SHARED_MEMORY = 32,
};

// Makes this the file system of all connections opened from now on. Files whose path has no `marker` in it never fail.
// Returns 0, or SQLite's error code.
int fault_install(const char *marker);

// Lets the n-th call of these kinds fail with `code`, counted from now on from 1; and all that follow, if `forever`.
void fault_arm(int kinds, int n, int code, int forever);

// Lets no call fail any more. Returns how many have failed since they were told to.
int fault_disarm(void);

// MARK: Memory

// Makes SQLite get its memory such that it can fail, for the rest of the process: before anybody has used SQLite in it.
// Returns 0, or SQLite's error code.
int fault_memory_install(void);

// Lets the n-th allocation fail, counted from now on from 1; and all that follow, if `forever`.
void fault_memory_arm(int n, int forever);

// Lets no allocation fail any more. Returns how many have failed since they were told to.
int fault_memory_disarm(void);

// MARK: Power

// Records, for the files that are opened from now on in folders whose path has `dflat-power` in it, what is on the disk
// for sure, and what may be; until the n-th call that writes, truncates or syncs, when the power fails. The files
// themselves go on as if nothing had happened.
void power_begin(long n);

int power_has_failed(void);

// Lets the power fail now, if it has not yet.
void power_fail(void);

// Writes a file as it may have been on the disk when the power failed: with about `percent` of the sectors that were
// written and not synced, chosen by `seed`. Returns whether there was such a file.
int power_image(const char *path, const char *to, int percent, unsigned seed);

// Forgets what was recorded.
void power_end(void);

#endif
