extension SchemaOracle {
  /// The program. It answers questions from standard input, each a letter, a length and so many bytes:
  /// `p`, a path: parses the file as flatc does, in a process of its own, and gives the content of the binary schema.
  /// `d`, a binary schema: verifies it, and gives its content.
  ///
  /// The content is a line per fact: where it stands, a tab, what it is.
  static let source = #"""
    #include <cstdio>
    #include <cstring>
    #include <fstream>
    #include <iterator>
    #include <string>
    #include <vector>
    #include <signal.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #include "flatbuffers/idl.h"
    #include "flatbuffers/reflection.h"
    #include "flatbuffers/util.h"
    using std::string;

    static string out;

    static void line(const string &path, const string &value) {
      out += path + "\t";
      for (char c : value) {
        if (c == '\n') out += "\\n"; else if (c == '\\') out += "\\\\"; else if (c == '\t') out += "\\t"; else out += c;
      }
      out += "\n";
    }
    static void line(const string &path, long long value) { line(path, std::to_string(value)); }
    static void line(const string &path, double value) {
      char text[40];
      snprintf(text, sizeof text, "%.17g", value);
      line(path, value != value ? string("nan") : string(text));
    }
    static void line(const string &path, const flatbuffers::String *value) {
      if (value) line(path, value->str());
    }
    typedef flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>> Strings;
    static void line(const string &path, const Strings *values) {
      if (!values) return;
      line(path + ".count", (long long)values->size());
      for (unsigned i = 0; i < values->size(); i++) line(path + "[" + std::to_string(i) + "]", values->Get(i));
    }
    typedef flatbuffers::Vector<flatbuffers::Offset<reflection::KeyValue>> Attributes;
    static void line(const string &path, const Attributes *values) {
      if (!values) return;
      line(path + ".count", (long long)values->size());
      for (unsigned i = 0; i < values->size(); i++) {
        line(path + "[" + std::to_string(i) + "].key", values->Get(i)->key());
        line(path + "[" + std::to_string(i) + "].value", values->Get(i)->value());
      }
    }
    static string baseType(reflection::BaseType type) {
      return type > reflection::Array ? std::to_string(type) : string(reflection::EnumNameBaseType(type));
    }
    static void line(const string &path, const reflection::Type *type) {
      if (!type) return;
      line(path + ".base_type", baseType(type->base_type()));
      line(path + ".element", baseType(type->element()));
      line(path + ".index", (long long)type->index());
      line(path + ".fixed_length", (long long)type->fixed_length());
      line(path + ".base_size", (long long)type->base_size());
      line(path + ".element_size", (long long)type->element_size());
    }
    static void object(const string &path, const reflection::Object *value) {
      line(path + ".is_struct", (long long)value->is_struct());
      line(path + ".minalign", (long long)value->minalign());
      line(path + ".bytesize", (long long)value->bytesize());
      line(path + ".attributes", value->attributes());
      line(path + ".documentation", value->documentation());
      line(path + ".declaration_file", value->declaration_file());
      line(path + ".fields.count", (long long)value->fields()->size());
      for (unsigned i = 0; i < value->fields()->size(); i++) {
        const reflection::Field *f = value->fields()->Get(i);
        line(path + ".fields[" + std::to_string(i) + "]", f->name());
        string p = path + "." + f->name()->str();
        line(p + ".type", f->type());
        line(p + ".id", (long long)f->id());
        line(p + ".offset", (long long)f->offset());
        line(p + ".default_integer", (long long)f->default_integer());
        line(p + ".default_real", f->default_real());
        line(p + ".deprecated", (long long)f->deprecated());
        line(p + ".required", (long long)f->required());
        line(p + ".key", (long long)f->key());
        line(p + ".optional", (long long)f->optional());
        line(p + ".padding", (long long)f->padding());
        // Of a newer version: the library has no name for it.
        if (reinterpret_cast<const flatbuffers::Table *>(f)->GetField<uint8_t>(30, 0)) line(p + ".offset64", 1LL);
        line(p + ".attributes", f->attributes());
        line(p + ".documentation", f->documentation());
      }
    }
    static void schema(const uint8_t *bytes) {
      const reflection::Schema *s = reflection::GetSchema(bytes);
      line("objects.count", (long long)s->objects()->size());
      for (unsigned i = 0; i < s->objects()->size(); i++) {
        line("objects[" + std::to_string(i) + "]", s->objects()->Get(i)->name());
        object("object " + s->objects()->Get(i)->name()->str(), s->objects()->Get(i));
      }
      line("enums.count", (long long)s->enums()->size());
      for (unsigned i = 0; i < s->enums()->size(); i++) {
        const reflection::Enum *e = s->enums()->Get(i);
        line("enums[" + std::to_string(i) + "]", e->name());
        string p = "enum " + e->name()->str();
        line(p + ".is_union", (long long)e->is_union());
        line(p + ".underlying_type", e->underlying_type());
        line(p + ".attributes", e->attributes());
        line(p + ".documentation", e->documentation());
        line(p + ".declaration_file", e->declaration_file());
        line(p + ".values.count", (long long)e->values()->size());
        for (unsigned j = 0; j < e->values()->size(); j++) {
          const reflection::EnumVal *v = e->values()->Get(j);
          string q = p + ".values[" + std::to_string(j) + "]";
          line(q + ".name", v->name());
          line(q + ".value", (long long)v->value());
          line(q + ".union_type", v->union_type());
          line(q + ".documentation", v->documentation());
          // Of a newer version, too.
          line(q + ".attributes", reinterpret_cast<const flatbuffers::Table *>(v)->GetPointer<const Attributes *>(14));
        }
      }
      line("file_ident", s->file_ident());
      line("file_ext", s->file_ext());
      line("root_table", s->root_table() ? s->root_table()->name()->str() : string("(none)"));
      line("advanced_features", (long long)s->advanced_features());
      line("services.count", s->services() ? (long long)s->services()->size() : -1);
      for (unsigned i = 0; s->services() && i < s->services()->size(); i++) {
        const reflection::Service *v = s->services()->Get(i);
        line("services[" + std::to_string(i) + "]", v->name());
        string p = "service " + v->name()->str();
        line(p + ".attributes", v->attributes());
        line(p + ".documentation", v->documentation());
        line(p + ".declaration_file", v->declaration_file());
        line(p + ".calls.count", v->calls() ? (long long)v->calls()->size() : -1);
        for (unsigned j = 0; v->calls() && j < v->calls()->size(); j++) {
          const reflection::RPCCall *c = v->calls()->Get(j);
          string q = p + ".calls[" + std::to_string(j) + "]";
          line(q + ".name", c->name());
          line(q + ".request", c->request()->name());
          line(q + ".response", c->response()->name());
          line(q + ".attributes", c->attributes());
          line(q + ".documentation", c->documentation());
        }
      }
      line("files.count", s->fbs_files() ? (long long)s->fbs_files()->size() : -1);
      for (unsigned i = 0; s->fbs_files() && i < s->fbs_files()->size(); i++) {
        string p = "files[" + std::to_string(i) + "]";
        line(p, s->fbs_files()->Get(i)->filename());
        line(p + ".includes", s->fbs_files()->Get(i)->included_filenames());
      }
    }
    static bool verified(const uint8_t *bytes, size_t count) {
      flatbuffers::Verifier verifier(bytes, count, 64, 1 << 30);
      return reflection::VerifySchemaBuffer(verifier);
    }

    static void answer(const string &text) {
      uint32_t n = static_cast<uint32_t>(text.size());
      fwrite(&n, 4, 1, stdout);
      fwrite(text.data(), 1, n, stdout);
    }

    static string parse(const string &path) {
      std::ifstream file(path, std::ios::binary);
      string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      if (text.size() != strlen(text.c_str())) return "Iinput file appears to be binary";
      string folder = flatbuffers::StripFileName(path), first;
      const char *folders[] = { folder.c_str(), nullptr };
      // Defaults of strings and vectors are there for some languages only, and arrays for others.
      for (int language : { flatbuffers::IDLOptions::kBinary, flatbuffers::IDLOptions::kSwift }) {
        flatbuffers::IDLOptions options;
        options.binary_schema_comments = options.binary_schema_builtins = true;
        options.project_root = folder;
        options.lang_to_generate = language;
        flatbuffers::Parser parser(options);
        if (parser.Parse(text.c_str(), folders, path.c_str())) {
          parser.Serialize();
          if (!verified(parser.builder_.GetBufferPointer(), parser.builder_.GetSize())) return "Cnot verified";
          out = "V";
          schema(parser.builder_.GetBufferPointer());
          return out;
        }
        if (first.empty()) first = parser.error_;
      }
      return "I" + first;
    }

    // In a process of its own: what kills the parser does not kill the answers.
    static string parseApart(const string &path) {
      int ends[2];
      if (pipe(ends)) return "Cno pipe";
      fflush(stdout);
      pid_t child = fork();
      if (!child) {
        // The threads that run programs may block the signal.
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        alarm(120);
        string text = parse(path);
        size_t done = 0;
        while (done < text.size()) {
          ssize_t n = write(ends[1], text.data() + done, text.size() - done);
          if (n <= 0) _exit(1);
          done += n;
        }
        _exit(0);
      }
      close(ends[1]);
      string text;
      char buffer[65536];
      ssize_t n;
      while ((n = read(ends[0], buffer, sizeof buffer)) > 0) text.append(buffer, n);
      close(ends[0]);
      int status = 0;
      waitpid(child, &status, 0);
      if (!WIFEXITED(status) || WEXITSTATUS(status)) return "Csignal " + std::to_string(WTERMSIG(status));
      return text;
    }

    int main() {
      char question;
      uint32_t n;
      while (fread(&question, 1, 1, stdin) == 1 && fread(&n, 4, 1, stdin) == 1) {
        std::vector<uint64_t> words(n / 8 + 1);
        uint8_t *bytes = reinterpret_cast<uint8_t *>(words.data());
        if (n && fread(bytes, 1, n, stdin) != n) return 4;
        if (question == 'p') {
          answer(parseApart(string(reinterpret_cast<char *>(bytes), n)));
        } else if (!verified(bytes, n) || !reflection::SchemaBufferHasIdentifier(bytes)) {
          answer("I");
        } else {
          out = "V";
          schema(bytes);
          answer(out);
        }
      }
      return 0;
    }
    """#
}
