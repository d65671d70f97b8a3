#include "WireFormatCPlusPlus.h"

#include <string.h>

#include "Generated/document_generated.h"

// Not inlined, and behind a barrier, so that no work is moved out of the loop.
#define REPEAT(body)                                  \
  int64_t sum = 0;                                    \
  for (int64_t index = 0; index < count; ++index) {   \
    wire_barrier();                                   \
    sum += body;                                      \
  }                                                   \
  return sum;

namespace {

flatbuffers::FlatBufferBuilder &Builder() {
  static flatbuffers::FlatBufferBuilder builder;
  return builder;
}

const float kWeights[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
const Vec3 kPoints[] = {Vec3(0, 2, 3), Vec3(1, 2, 3), Vec3(2, 2, 3), Vec3(3, 2, 3)};
const char *kTags[] = {"first tag", "second tag, of some length", "third", "4"};

__attribute__((noinline)) int64_t Build(int64_t number) {
  auto &builder = Builder();
  builder.Clear();
  auto title = builder.CreateString("The title of a document");
  auto author = builder.CreateString("Its author");
  auto summary = builder.CreateString("What it says, in a sentence of some seventy bytes, more or less, as it is.");
  auto link = builder.CreateString("https://example.com/documents/1");
  auto weights = builder.CreateVector(kWeights, 16);
  auto points = builder.CreateVectorOfStructs(kPoints, 4);
  flatbuffers::Offset<Leaf> leafOffsets[3];
  for (int32_t value = 0; value < 3; ++value) {
    auto name = builder.CreateString("a leaf's name, long");
    leafOffsets[value] = CreateLeaf(builder, name, value);
  }
  auto leaves = builder.CreateVector(leafOffsets, 3);
  flatbuffers::Offset<flatbuffers::String> tagOffsets[4];
  for (int tag = 0; tag < 4; ++tag) tagOffsets[tag] = builder.CreateString(kTags[tag]);
  auto tags = builder.CreateVector(tagOffsets, 4);
  auto text = builder.CreateString("a note, attached");
  auto note = CreateNote(builder, text, 2.5);
  Vec3 position(1, 2, 3);
  Stamp created(1700000000, 5, 60);
  auto root = CreateDocument(
      builder, title, author, summary, link, &position, &created, weights, points, leaves, tags, Attachment_Note,
      note.Union(), number, 7, 1.5, 0.25f, Kind_Report, true, 9, 11, 4);
  builder.Finish(root);
  return static_cast<int64_t>(builder.GetSize());
}

__attribute__((noinline)) int64_t Verify(const uint8_t *bytes, size_t size) {
  flatbuffers::Verifier verifier(bytes, size);
  return VerifyDocumentBuffer(verifier) ? 1 : 0;
}

// A number's bits: a conversion to an integer is checked in Swift, and not what is timed.
int64_t Bits(float value) {
  int32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
int64_t Bits(double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

__attribute__((noinline)) int64_t Read(const uint8_t *bytes) {
  auto document = GetDocument(bytes);
  int64_t sum = document->number() + document->pages() + Bits(document->price()) +
                Bits(document->ratio()) + static_cast<int64_t>(document->kind()) +
                (document->is_public() ? 1 : 0) + document->flags() + document->revision();
  if (auto rating = document->rating()) sum += *rating;
  sum += document->title()->size();
  if (auto string = document->author()) sum += string->size();
  if (auto string = document->summary()) sum += string->size();
  if (auto string = document->link()) sum += string->size();
  if (auto position = document->position()) sum += Bits(position->x());
  if (auto created = document->created()) sum += created->seconds();
  if (auto weights = document->weights())
    for (auto weight : *weights) sum += Bits(weight);
  if (auto points = document->points())
    for (auto point : *points) sum += Bits(point->y());
  if (auto leaves = document->leaves())
    for (auto leaf : *leaves) sum += leaf->value() + (leaf->name() ? leaf->name()->size() : 0);
  if (auto tags = document->tags())
    for (auto tag : *tags) sum += tag->size();
  if (auto note = document->attachment_as_Note())
    sum += Bits(note->weight()) + (note->text() ? note->text()->size() : 0);
  return sum;
}

int64_t Length(const flatbuffers::String *string) {
  if (!string) return 0;
  std::string copy = string->str();
  asm volatile("" : : "r"(copy.data()) : "memory");
  return static_cast<int64_t>(copy.size());
}

__attribute__((noinline)) int64_t CopyString(const char *string, int64_t size) {
  std::string copy(string, static_cast<size_t>(size));
  asm volatile("" : : "r"(copy.data()) : "memory");
  return static_cast<int64_t>(copy.size());
}

int64_t CopyStrings(const char *const *strings, const int64_t *sizes, int64_t count) {
  int64_t sum = 0;
  for (int64_t index = 0; index < count; ++index) sum += CopyString(strings[index], sizes[index]);
  return sum;
}

__attribute__((noinline)) int64_t ReadStrings(const uint8_t *bytes) {
  auto document = GetDocument(bytes);
  int64_t sum = document->number() + document->pages() + Bits(document->price()) +
                Bits(document->ratio()) + static_cast<int64_t>(document->kind()) +
                (document->is_public() ? 1 : 0) + document->flags() + document->revision();
  if (auto rating = document->rating()) sum += *rating;
  sum += Length(document->title()) + Length(document->author()) + Length(document->summary()) +
         Length(document->link());
  if (auto position = document->position()) sum += Bits(position->x());
  if (auto created = document->created()) sum += created->seconds();
  if (auto weights = document->weights())
    for (auto weight : *weights) sum += Bits(weight);
  if (auto points = document->points())
    for (auto point : *points) sum += Bits(point->y());
  if (auto leaves = document->leaves())
    for (auto leaf : *leaves) sum += leaf->value() + Length(leaf->name());
  if (auto tags = document->tags())
    for (auto tag : *tags) sum += Length(tag);
  if (auto note = document->attachment_as_Note())
    sum += Bits(note->weight()) + Length(note->text());
  return sum;
}

__attribute__((noinline)) int64_t ReadScalar(const uint8_t *bytes) { return GetDocument(bytes)->pages(); }

__attribute__((noinline)) int64_t Unpack(const uint8_t *bytes) {
  DocumentT document;
  GetDocument(bytes)->UnPackTo(&document);
  return static_cast<int64_t>(document.title.size());
}

}  // namespace

extern "C" {
int64_t wire_build(int64_t count) { REPEAT(Build(index)) }
const uint8_t *wire_document(size_t *size) {
  static flatbuffers::DetachedBuffer buffer = [] {
    Build(1);
    return Builder().Release();
  }();
  *size = buffer.size();
  return buffer.data();
}
int64_t wire_verify(const uint8_t *bytes, size_t size, int64_t count) { REPEAT(Verify(bytes, size)) }
int64_t wire_read(const uint8_t *bytes, int64_t count) { REPEAT(Read(bytes)) }
int64_t wire_read_strings(const uint8_t *bytes, int64_t count) { REPEAT(ReadStrings(bytes)) }
int64_t wire_copy_strings(const char *const *strings, const int64_t *sizes, int64_t strings_count, int64_t count) {
  REPEAT(CopyStrings(strings, sizes, strings_count))
}
int64_t wire_read_scalar(const uint8_t *bytes, int64_t count) { REPEAT(ReadScalar(bytes)) }
int64_t wire_unpack(const uint8_t *bytes, int64_t count) { REPEAT(Unpack(bytes)) }
}
