// Counts allocations by standing in front of the C library's: both Swift and C++ allocate through these.
#include "WireFormatCPlusPlus.h"

#if defined(__GLIBC__)
#include <errno.h>

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

// Of each thread: only the one that is measured counts, and needs no lock for it.
static __thread int64_t allocations = 0;

void *malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
  ++allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

int64_t allocation_count(void) { return allocations; }
}
#else
extern "C" int64_t allocation_count(void) { return -1; }
#endif
