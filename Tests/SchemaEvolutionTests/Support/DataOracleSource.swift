extension DataOracle {
  /// The program. For each pair it gets the text that writes (deprecated fields included), the text that the writer is, the
  /// one that reads, the names of root tables, and objects as JSON. It parses each object into a buffer as the writer, and
  /// walks through it by both schemas at once: what the writer's own schema reads, and what the reader's does.
  ///
  /// A field of the writer is the reader's of the same name, or else that of the same id, if neither name is on the other side.
  /// Nothing here is shared with the code that is tested, and the walk reads no byte outside of the buffer.
  static let source = #"""
    #include <cmath>
    #include <cstdio>
    #include <cstring>
    #include <map>
    #include <set>
    #include <string>
    #include <vector>
    #include <signal.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #include "flatbuffers/idl.h"
    #include "flatbuffers/reflection.h"
    #include "flatbuffers/util.h"
    using std::string;
    using std::vector;
    namespace fb = flatbuffers;
    namespace rf = reflection;

    struct Walk {
      const rf::Schema *ws, *rs;   // The writer's and the reader's.
      const uint8_t *bytes; size_t size;
      bool backward;
      string fault;
      int steps = 0;

      bool fail(const string &text) { if (fault.empty()) fault = text; return false; }
      bool in(size_t at, size_t count) { return at <= size && count <= size - at; }
      template <typename T> T get(size_t at) { T v; memcpy(&v, bytes + at, sizeof(T)); return v; }

      static const rf::Field *byName(const rf::Object *o, const fb::String *name) { return o->fields()->LookupByKey(name->c_str()); }
      static const rf::Field *byID(const rf::Object *o, unsigned id) {
        for (auto f : *o->fields()) if (f->id() == id) return f;
        return nullptr;
      }
      // The type of a union, or the types of a vector of them: no field that anybody has written.
      static bool isHidden(const rf::Field *f) {
        return f->type()->base_type() == rf::UType || (f->type()->base_type() == rf::Vector && f->type()->element() == rf::UType);
      }
      // The reader's field that a writer's field is.
      static const rf::Field *counterpart(const rf::Object *w, const rf::Object *r, const rf::Field *f) {
        if (auto same = byName(r, f->name())) return same;
        auto other = byID(r, f->id());
        return other && !isHidden(other) && !byName(w, other->name()) ? other : nullptr;
      }
      static bool isScalar(rf::BaseType t) { return t >= rf::UType && t <= rf::Double; }
      static size_t width(rf::BaseType t) { return fb::GetTypeSize(t); }

      // A slot's place; 0 if it is absent. The table was checked.
      size_t slot(size_t table, unsigned id) {
        size_t vtable = table - get<int32_t>(table);
        unsigned at = 4 + 2 * id;
        if (at + 2 > get<uint16_t>(vtable)) return 0;
        unsigned offset = get<uint16_t>(vtable + at);
        return offset ? table + offset : 0;
      }
      bool checkTable(size_t table) {
        if (table % 4 || !in(table, 4)) return false;
        int64_t vtable = int64_t(table) - get<int32_t>(table);
        if (vtable < 0 || vtable % 2 || !in(size_t(vtable), 4)) return false;
        unsigned length = get<uint16_t>(size_t(vtable));
        return length >= 4 && length % 2 == 0 && in(size_t(vtable), length);
      }
      size_t follow(size_t at) {
        if (!in(at, 4)) return 0;
        size_t target = at + get<uint32_t>(at);
        return target > at && in(target, 1) ? target : 0;
      }

      struct Value { bool present = false, isReal = false; int64_t i = 0; double d = 0; };
      Value scalarAt(rf::BaseType t, size_t at) {
        Value v; v.present = true;
        switch (t) {
          case rf::UType: case rf::UByte: v.i = get<uint8_t>(at); break;
          case rf::Bool: v.i = get<uint8_t>(at) != 0; break;
          case rf::Byte: v.i = get<int8_t>(at); break;
          case rf::Short: v.i = get<int16_t>(at); break;
          case rf::UShort: v.i = get<uint16_t>(at); break;
          case rf::Int: v.i = get<int32_t>(at); break;
          case rf::UInt: v.i = get<uint32_t>(at); break;
          case rf::Long: case rf::ULong: v.i = get<int64_t>(at); break;
          case rf::Float: v.isReal = true; v.d = get<float>(at); break;
          case rf::Double: v.isReal = true; v.d = get<double>(at); break;
          default: break;
        }
        return v;
      }
      Value absent(const rf::Field *f) {
        Value v;
        if (f->optional()) return v;
        v.present = true;
        auto t = f->type()->base_type();
        if (t == rf::Float) { v.isReal = true; v.d = float(f->default_real()); }
        else if (t == rf::Double) { v.isReal = true; v.d = f->default_real(); }
        else v.i = f->default_integer();
        return v;
      }

      // The meaning of a number: the names of the values.
      static std::set<string> meaning(const rf::Enum *e, bool flags, int64_t v, bool &known) {
        std::set<string> names; known = true;
        if (flags) {
          uint64_t rest = uint64_t(v);
          for (auto x : *e->values()) if (rest & uint64_t(x->value())) { names.insert(x->name()->str()); rest &= ~uint64_t(x->value()); }
          known = rest == 0;
        } else {
          known = false;
          for (auto x : *e->values()) if (x->value() == v) { names.insert(x->name()->str()); known = true; break; }
        }
        return names;
      }
      static bool isFlags(const rf::Enum *e) { return e->attributes() && e->attributes()->LookupByKey("bit_flags"); }
      static bool has(const rf::Enum *e, const string &name) {
        for (auto x : *e->values()) if (x->name()->str() == name) return true;
        return false;
      }

      bool sameNumber(const rf::Type *wt, rf::BaseType wb, const Value &w, const rf::Type *rt, rf::BaseType rb, const Value &r, const string &path) {
        if (w.present != r.present) return fail(path + ": present differs");
        if (!w.present) return true;
        if (w.isReal != r.isReal) return fail(path + ": integer or real");
        if (w.isReal) {
          if (std::isnan(w.d) && std::isnan(r.d)) return true;
          if (w.d != r.d || std::signbit(w.d) != std::signbit(r.d)) return fail(path + ": other real");
          return true;
        }
        if (w.i != r.i) return fail(path + ": other number");
        // 64 bits above the signed half are other numbers.
        if (w.i < 0 && (wb == rf::ULong) != (rb == rf::ULong)) return fail(path + ": other sign");
        auto we = wt->index() >= 0 ? ws->enums()->Get(wt->index()) : nullptr;
        auto re = rt->index() >= 0 ? rs->enums()->Get(rt->index()) : nullptr;
        bool known, otherKnown;
        if (!we && !re) return true;
        if (we && !re) return true;
        if (!we) { meaning(re, isFlags(re), r.i, known); return known || fail(path + ": no value of the enum"); }
        auto wn = meaning(we, isFlags(we), w.i, known), rn = meaning(re, isFlags(re), r.i, otherKnown);
        for (auto &name : wn) if (has(re, name) && !rn.count(name)) return fail(path + ": " + name + " means another value");
        // Older readers are not asked to know newer values.
        if (backward && !otherKnown && isFlags(we) == isFlags(re)) return true;
        if (known && !otherKnown) return fail(path + ": value unknown");
        if (wn.size() != rn.size() && known) return fail(path + ": other set");
        for (auto &name : rn) if (known && has(we, name) && !wn.count(name)) return fail(path + ": means " + name);
        return true;
      }

      bool structs(const rf::Object *w, size_t wat, const rf::Object *r, size_t rat, const string &path) {
        if (!in(rat, r->bytesize())) return fail(path + ": struct out of bounds");
        // The writer aligns as its own schema says: that it was more by chance is no promise.
        if (r->minalign() > w->minalign()) return fail(path + ": not aligned as asked for");
        if (rat % r->minalign()) return fail(path + ": struct misaligned");
        // Fields that the writer lacks are padding, at best; beyond the writer's struct they are something else.
        if (!backward && r->bytesize() > w->bytesize()) return fail(path + ": reads beyond the struct");
        for (auto f : *w->fields()) {
          auto g = counterpart(w, r, f);
          string p = path + "." + f->name()->str();
          if (!g) { if (!backward) return fail(p + ": lost"); continue; }
          size_t fa = wat + f->offset(), ga = rat + g->offset();
          auto ft = f->type()->base_type(), gt = g->type()->base_type();
          if ((ft == rf::Obj) != (gt == rf::Obj) || (ft == rf::Array) != (gt == rf::Array)) return fail(p + ": other form");
          if (ft == rf::Obj) {
            if (!structs(ws->objects()->Get(f->type()->index()), fa, rs->objects()->Get(g->type()->index()), ga, p)) return false;
          } else if (ft == rf::Array) {
            auto fe = f->type()->element(), ge = g->type()->element();
            if (f->type()->fixed_length() != g->type()->fixed_length()) return fail(p + ": other length");
            if ((fe == rf::Obj) != (ge == rf::Obj)) return fail(p + ": other form");
            for (unsigned i = 0; i < f->type()->fixed_length(); i++) {
              if (fe == rf::Obj) {
                auto wo = ws->objects()->Get(f->type()->index()); auto ro = rs->objects()->Get(g->type()->index());
                if (!structs(wo, fa + i * wo->bytesize(), ro, ga + i * ro->bytesize(), p)) return false;
              } else {
                if (width(ge) > width(fe)) return fail(p + ": reads beyond the number");
                if (!in(ga + i * width(ge), width(ge))) return fail(p + ": array out of bounds");
                if (!sameNumber(f->type(), fe, scalarAt(fe, fa + i * width(fe)), g->type(), ge, scalarAt(ge, ga + i * width(ge)), p)) return false;
              }
            }
          } else if (width(gt) > width(ft)) return fail(p + ": reads beyond the number");
          else if (!sameNumber(f->type(), ft, scalarAt(ft, fa), g->type(), gt, scalarAt(gt, ga), p)) return false;
        }
        return true;
      }

      bool strings(size_t at) { return in(at, 4) && in(at + 4, size_t(get<uint32_t>(at)) + 1) && bytes[at + 4 + get<uint32_t>(at)] == 0; }

      // What an offset leads to, read as both.
      bool referents(const rf::Type *wt, rf::BaseType wb, const rf::Type *rt, rf::BaseType rb, size_t at, const string &path) {
        if (wb != rb) return fail(path + ": other form");
        if (wb == rf::String) return strings(at) || fail(path + ": no string");
        auto wo = ws->objects()->Get(wt->index()); auto ro = rs->objects()->Get(rt->index());
        if (wo->is_struct() != ro->is_struct()) return fail(path + ": table or struct");
        if (wo->is_struct()) return structs(wo, at, ro, at, path);
        return tables(wo, ro, at, path);
      }

      // A union's member by its code.
      bool members(const rf::Type *wt, const rf::Type *rt, unsigned code, size_t at, const string &path) {
        auto we = ws->enums()->Get(wt->index()); auto re = rs->enums()->Get(rt->index());
        const rf::EnumVal *w = nullptr, *r = nullptr;
        for (auto x : *we->values()) if (x->value() == code) w = x;
        for (auto x : *re->values()) if (x->value() == code) r = x;
        if (!w || code == 0) return true;
        if (has(re, w->name()->str()) && !(r && r->name()->str() == w->name()->str())) return fail(path + ": code of another member");
        if (!r) return backward || fail(path + ": member unknown");
        if (has(we, r->name()->str()) && r->name()->str() != w->name()->str()) return fail(path + ": member " + r->name()->str());
        return referents(w->union_type(), w->union_type()->base_type(), r->union_type(), r->union_type()->base_type(), at, path);
      }

      bool tables(const rf::Object *w, const rf::Object *r, size_t at, const string &path) {
        if (++steps > 20000) return true;
        if (!checkTable(at)) return fail(path + ": no table");
        std::set<unsigned> read;
        for (auto f : *w->fields()) {
          auto ft = f->type()->base_type();
          // The hidden types of unions belong to their values.
          if (isHidden(f)) continue;
          string p = path + "." + f->name()->str();
          auto g = counterpart(w, r, f);
          if (backward && f->deprecated()) { if (g) read.insert(g->id()); if (g && g->required()) return fail(p + ": refused"); continue; }
          size_t fs = slot(at, f->id());
          if (!g) { if (fs && !backward && !f->deprecated()) return fail(p + ": lost"); continue; }
          read.insert(g->id());
          auto gt = g->type()->base_type();
          if (g->deprecated()) continue;
          size_t gs = slot(at, g->id());
          if (f->deprecated()) { if (gs) return fail(p + ": back from the dead"); if (g->required()) return fail(p + ": refused"); continue; }
          if (g->required() && !gs) return fail(p + ": refused");
          if (isScalar(ft) != isScalar(gt)) { if (fs || gs) return fail(p + ": other form"); continue; }
          if (isScalar(ft)) {
            // What is read as wider than it was written takes in what stands beside it: padding, at best.
            if (gs && width(gt) > width(ft)) return fail(p + ": reads beyond the number");
            if (gs && (!in(gs, width(gt)) || gs % width(gt))) return fail(p + ": out of bounds");
            if (!sameNumber(f->type(), ft, fs ? scalarAt(ft, fs) : absent(f), g->type(), gt, gs ? scalarAt(gt, gs) : absent(g), p)) return false;
            continue;
          }
          if (!fs && !gs) continue;
          if (!fs || !gs) return fail(p + ": present differs");
          if (ft != gt) return fail(p + ": other form");
          if (fs != gs) return fail(p + ": other place");
          if (ft == rf::Obj && ws->objects()->Get(f->type()->index())->is_struct() != rs->objects()->Get(g->type()->index())->is_struct())
            return fail(p + ": table or struct");
          if (ft == rf::Obj && ws->objects()->Get(f->type()->index())->is_struct()) {
            if (!structs(ws->objects()->Get(f->type()->index()), fs, rs->objects()->Get(g->type()->index()), gs, p)) return false;
            continue;
          }
          size_t target = follow(fs);
          if (!target) return fail(p + ": no offset");
          if (ft == rf::Union) {
            size_t code = slot(at, f->id() - 1);
            if (!members(f->type(), g->type(), code ? bytes[code] : 0, target, p)) return false;
          } else if (ft == rf::Vector) {
            if (!vectors(f, g, at, target, p)) return false;
          } else if (!referents(f->type(), ft, g->type(), gt, target, p)) return false;
        }
        for (auto g : *r->fields()) {
          auto gt = g->type()->base_type();
          // A union's type without its value is what something else was: who asks for the type is told wrong.
          if (gt == rf::Union && !backward && !g->deprecated() && !slot(at, g->id())) {
            size_t type = slot(at, g->id() - 1);
            if (type && bytes[type]) return fail(path + "." + g->name()->str() + ": a type out of nowhere");
          }
          // The same for the vector of types: a deprecated field that older versions wrote may have had its number.
          if (gt == rf::Vector && g->type()->element() == rf::Union && !backward && !g->deprecated() && !slot(at, g->id()) && slot(at, g->id() - 1))
            return fail(path + "." + g->name()->str() + ": types out of nowhere");
          if (isHidden(g) || read.count(g->id()) || g->deprecated()) continue;
          if (byName(w, g->name())) continue;
          size_t gs = slot(at, g->id());
          // What is not the writer's: it may be absent, and never anything else.
          if (gs && !(backward)) return fail(path + "." + g->name()->str() + ": out of nowhere");
          if (!gs && g->required()) return fail(path + "." + g->name()->str() + ": refused");
        }
        return true;
      }

      // The table whose FlatBuffer a vector of bytes holds.
      static const char *nested(const rf::Field *f) {
        auto a = f->attributes() ? f->attributes()->LookupByKey("nested_flatbuffer") : nullptr;
        return a ? a->value()->c_str() : nullptr;
      }
      bool buffers(const rf::Field *f, const rf::Field *g, size_t start, size_t count, const string &p) {
        if (count == 0) return true;
        if (!nested(f)) return fail(p + ": no FlatBuffer");
        auto wo = ws->objects()->LookupByKey(nested(f)), ro = rs->objects()->LookupByKey(nested(g));
        if (!wo || !ro || !in(start, count) || count < 4) return fail(p + ": no table");
        Walk inner = *this;
        // Bytes of its own: offsets lead nowhere else, and alignment starts anew.
        vector<uint64_t> copy((count + 7) / 8);
        memcpy(copy.data(), bytes + start, count);
        inner.bytes = reinterpret_cast<const uint8_t *>(copy.data());
        inner.size = count;
        if (!inner.tables(wo, ro, inner.get<uint32_t>(0), p)) return fail(inner.fault);
        return true;
      }

      bool vectors(const rf::Field *f, const rf::Field *g, size_t table, size_t at, const string &p) {
        auto fe = f->type()->element(), ge = g->type()->element();
        if (!in(at, 4)) return fail(p + ": no vector");
        size_t count = get<uint32_t>(at), start = at + 4;
        if (isScalar(fe) != isScalar(ge)) return count == 0 || fail(p + ": other elements");
        if (nested(g)) return buffers(f, g, start, count, p);
        if (isScalar(fe)) {
          if (!in(start, count * width(ge))) return fail(p + ": vector out of bounds");
          for (size_t i = 0; i < count; i++)
            if (!sameNumber(f->type(), fe, scalarAt(fe, start + i * width(fe)), g->type(), ge, scalarAt(ge, start + i * width(ge)), p)) return false;
          return true;
        }
        if (count == 0) return true;
        if (fe != ge) return fail(p + ": other elements");
        auto wo = fe == rf::Obj ? ws->objects()->Get(f->type()->index()) : nullptr;
        auto ro = ge == rf::Obj ? rs->objects()->Get(g->type()->index()) : nullptr;
        if (wo && wo->is_struct() != ro->is_struct()) return fail(p + ": tables or structs");
        size_t codes = 0;
        if (fe == rf::Union) codes = follow(slot(table, f->id() - 1));
        for (size_t i = 0; i < count; i++) {
          if (wo && wo->is_struct()) {
            if (!structs(wo, start + i * wo->bytesize(), ro, start + i * ro->bytesize(), p)) return false;
            continue;
          }
          size_t target = follow(start + 4 * i);
          if (!target) return fail(p + ": no element");
          if (fe == rf::Union) { if (!members(f->type(), g->type(), bytes[codes + 4 + i], target, p)) return false; }
          else if (!referents(f->type(), fe, g->type(), ge, target, p)) return false;
        }
        return true;
      }
    };

    static bool readBytes(string &text) {
      uint32_t n;
      if (fread(&n, 4, 1, stdin) != 1) return false;
      text.resize(n);
      return n == 0 || fread(&text[0], 1, n, stdin) == n;
    }
    static uint32_t readNumber() { uint32_t n = 0; if (fread(&n, 4, 1, stdin) != 1) exit(4); return n; }
    static void answer(const string &text) {
      uint32_t n = uint32_t(text.size());
      fwrite(&n, 4, 1, stdout);
      fwrite(text.data(), 1, n, stdout);
    }
    static fb::IDLOptions options() {
      fb::IDLOptions o;
      o.lang_to_generate = fb::IDLOptions::kBinary;
      o.binary_schema_builtins = true;
      o.strict_json = true;
      return o;
    }
    static vector<uint8_t> reflected(fb::Parser &p) {
      p.Serialize();
      return vector<uint8_t>(p.builder_.GetBufferPointer(), p.builder_.GetBufferPointer() + p.builder_.GetSize());
    }

    // In a process of its own: it crashes where a number became an enum.
    static string conformApart(fb::Parser &n, fb::Parser &o) {
      int ends[2];
      if (pipe(ends)) return "Xno pipe";
      fflush(stdout);
      pid_t child = fork();
      if (!child) {
        // The threads that run programs may block the signal.
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        alarm(120);
        string text = n.ConformTo(o);
        text = text.empty() ? "V" : "I" + text;
        _exit(write(ends[1], text.data(), text.size()) == ssize_t(text.size()) ? 0 : 1);
      }
      close(ends[1]);
      string text;
      char buffer[4096];
      ssize_t count;
      while ((count = read(ends[0], buffer, sizeof buffer)) > 0) text.append(buffer, count);
      close(ends[0]);
      int status = 0;
      waitpid(child, &status, 0);
      return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "C";
    }

    int main() {
      string kind;
      while (readBytes(kind)) {
        if (kind == "conform") {
          string before, after;
          readBytes(before); readBytes(after);
          fb::Parser o(options()), n(options());
          if (!o.Parse(before.c_str())) { answer("Xold: " + o.error_); continue; }
          if (!n.Parse(after.c_str())) { answer("Xnew: " + n.error_); continue; }
          answer(conformApart(n, o));
          continue;
        }
        // "forward" or "backward"
        string writing, written, reading;
        readBytes(writing); readBytes(written); readBytes(reading);
        fb::Parser w(options()), ws(options()), rs(options());
        string error;
        if (!w.Parse(writing.c_str())) error = "writing: " + w.error_;
        else if (!ws.Parse(written.c_str())) error = "written: " + ws.error_;
        else if (!rs.Parse(reading.c_str())) error = "reading: " + rs.error_;
        vector<uint8_t> wb, rb;
        if (error.empty()) { wb = reflected(ws); rb = reflected(rs); }
        uint32_t count = readNumber();
        for (uint32_t i = 0; i < count; i++) {
          string root, other, json;
          readBytes(root); readBytes(other); readBytes(json);
          if (!error.empty()) { answer("X" + error); answer(""); continue; }
          w.SetRootType(root.c_str());
          w.builder_.Clear();
          if (!w.Parse(json.c_str())) { answer("X" + w.error_ + " in " + json); answer(""); continue; }
          Walk walk;
          walk.ws = rf::GetSchema(wb.data()); walk.rs = rf::GetSchema(rb.data());
          walk.bytes = w.builder_.GetBufferPointer(); walk.size = w.builder_.GetSize();
          walk.backward = kind == "backward";
          auto wo = walk.ws->objects()->LookupByKey(root.c_str()), ro = walk.rs->objects()->LookupByKey(other.c_str());
          if (!wo) { answer("Xno root " + root); answer(""); continue; }
          if (!ro || ro->is_struct()) walk.fail("nothing reads " + root);
          else {
            // Alignment is that of the buffer, which starts where a vector's storage does.
            walk.tables(wo, ro, walk.get<uint32_t>(0), root);
          }
          answer(walk.fault.empty() ? "V" : "I" + walk.fault);
          answer(string(reinterpret_cast<const char *>(walk.bytes), walk.size));
        }
      }
      return 0;
    }
    """#
}
