// The twin of Digest.swift: each function reads what that of the same name reads there, in the same order.

#include "include/CppReader.h"

#include <cstring>

#include "everything_generated.h"

namespace {

class Digest {
 public:
  uint64_t hash = 0xCBF29CE484222325;

  void everything(const Everything &view) {
    add(view.b());
    add(view.i8());
    add(view.i16());
    add(view.i32());
    add(view.i64());
    add(view.u8());
    add(view.u16());
    add(view.u32());
    add(view.u64());
    add(view.f32());
    add(view.f64());
    add(view.maybe_bool().value_or(false));
    add(view.maybe_int().value_or(-1));
    add(view.maybe_double().value_or(-1));
    add(view.answer());
    add(view.half());
    string(view.name());
    string(view.alias());
    add(static_cast<int8_t>(view.kind()));
    if (view.position()) point(*view.position());
    if (view.mixed()) mixed(*view.mixed());
    scalars(view.bytes());
    scalars(view.shorts());
    scalars(view.longs());
    scalars(view.doubles());
    if (view.bools()) {
      for (uint8_t value : *view.bools()) add(value != 0);
    }
    if (view.kinds()) {
      for (auto kind : *view.kinds()) add(static_cast<int8_t>(kind));
    }
    if (view.strings()) {
      for (auto element : *view.strings()) string(element);
    }
    if (view.points()) {
      for (auto element : *view.points()) point(*element);
    }
    if (view.mixes()) {
      for (auto element : *view.mixes()) mixed(*element);
    }
    if (view.leaves()) {
      for (auto element : *view.leaves()) {
        if (budget > 0) leaf(*element);
      }
    }
    if (view.leaf()) leaf(*view.leaf());
    if (view.node()) node(*view.node(), 0);
    if (view.any()) any(view.any_type(), view.any());
    if (view.anys()) {
      for (flatbuffers::uoffset_t index = 0; index < view.anys()->size(); index++) {
        if (budget > 0) any(view.anys_type()->Get(index), view.anys()->Get(index));
      }
    }
    if (view.nested()) leaf(*flatbuffers::GetRoot<Leaf>(view.nested()->Data()));
  }

 private:
  int budget = 2000;

  void word(uint64_t value) { hash = (hash ^ value) * 0x100000001B3; }

  void add(bool value) { word(value ? 1 : 0); }

  // A whole number is extended by its sign, as Swift does it; of one with a fraction, the bits count.
  template <typename T>
  void add(T value) {
    word(static_cast<uint64_t>(value));
  }

  void add(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    word(bits);
  }

  void add(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    word(bits);
  }

  void string(const flatbuffers::String *string) {
    if (!string) return;
    for (flatbuffers::uoffset_t index = 0; index < string->size(); index++) word(string->Get(index) & 0xFF);
    word(string->size());
  }

  template <typename T>
  void scalars(const flatbuffers::Vector<T> *vector) {
    if (!vector) return;
    for (T element : *vector) add(element);
  }

  void point(const Vec3 &view) {
    add(view.x());
    add(view.y());
    add(view.z());
  }

  void mixed(const Mixed &view) {
    add(view.flag());
    point(view.at());
    add(view.id());
    add(view.small());
    for (flatbuffers::uoffset_t index = 0; index < 3; index++) add(view.codes()->Get(index));
  }

  void leaf(const Leaf &view) {
    budget -= 1;
    string(view.name());
    add(view.value());
  }

  void node(const Node &view, int depth) {
    budget -= 1;
    if (budget <= 0 || depth >= 100) return;
    string(view.label());
    if (!view.children()) return;
    for (auto child : *view.children()) {
      if (budget <= 0) return;
      node(*child, depth + 1);
    }
  }

  void any(uint8_t code, const void *member) {
    switch (code) {
      case Any_NONE: break;
      case Any_Leaf: leaf(*static_cast<const Leaf *>(member)); break;
      case Any_Node: node(*static_cast<const Node *>(member), 0); break;
      case Any_Vec3: point(*static_cast<const Vec3 *>(member)); break;
      case Any_text: string(static_cast<const flatbuffers::String *>(member)); break;
      default: add(code);
    }
  }
};

}  // namespace

bool cppReaderVerifies(const uint8_t *bytes, size_t count) {
  flatbuffers::Verifier verifier(bytes, count);
  return verifier.VerifyBuffer<Everything>(nullptr);
}

uint64_t cppReaderDigest(const uint8_t *bytes) {
  Digest digest;
  digest.everything(*flatbuffers::GetRoot<Everything>(bytes));
  return digest.hash;
}
