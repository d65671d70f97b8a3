/// The wire format through the C++ library, doing what the Swift benchmark beside it does.
///
/// Each function does its work `count` times, and returns a sum of what it saw, so that nothing can be left out.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int64_t wire_build(int64_t count);
/// The bytes that `wire_build` makes. They stay where they are.
const uint8_t *wire_document(size_t *size);
int64_t wire_verify(const uint8_t *bytes, size_t size, int64_t count);
int64_t wire_read(const uint8_t *bytes, int64_t count);
int64_t wire_read_strings(const uint8_t *bytes, int64_t count);
/// Copies each of the strings at `strings`, and does nothing else: what `wire_read_strings` cannot go below.
int64_t wire_copy_strings(const char *const *strings, const int64_t *sizes, int64_t strings_count, int64_t count);
int64_t wire_read_scalar(const uint8_t *bytes, int64_t count);
int64_t wire_unpack(const uint8_t *bytes, int64_t count);

/// Keeps work from being moved out of a loop, or left out, in either language.
static inline void wire_barrier(void) { __asm__ volatile("" : : : "memory"); }

/// How often memory was allocated so far, by whichever language; -1 where this cannot be told.
int64_t allocation_count(void);

#ifdef __cplusplus
}
#endif
