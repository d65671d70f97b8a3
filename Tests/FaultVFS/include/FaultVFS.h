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

#endif
