// Reads FlatBuffers of everything.fbs with the C++ library, to compare what Swift reads with it.

#ifndef CPP_READER_H
#define CPP_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the C++ library's verifier accepts the bytes as an `Everything`, whatever their file identifier.
bool cppReaderVerifies(const uint8_t *bytes, size_t count);

/// The same sum as that of `Digest` in Swift, over all that can be reached. The bytes must be verified.
uint64_t cppReaderDigest(const uint8_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
