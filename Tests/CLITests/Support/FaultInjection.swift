import Foundation
import Testing

#if os(Linux)
  /// A library that is loaded before all others, and lets a program's n-th change to the file system fail, or kills the
  /// program there. So the program itself needs nothing that only tests use.
  struct FaultInjection {
    /// What happens at the step.
    enum Kind: String, CaseIterable, Sendable {
      /// The call fails as on a disk that is full.
      case diskIsFull
      /// The process is killed before the call does anything.
      case kill
    }

    private let library: URL
    private let marker: URL

    /// Builds the library in `folder`.
    init(in folder: URL) throws {
      library = folder.appending(path: "steps.so")
      marker = folder.appending(path: "reached")
      let source = try folder.write(Self.source, to: "steps.c")
      let result = try CLITests.run(
        URL(fileURLWithPath: "/usr/bin/env"), ["cc", "-shared", "-fPIC", "-O1", "-o", library.path, source, "-ldl"])
      try #require(result.status == 0, "\(result.error)")
    }

    /// Runs a program with this at its step `number`, from 1.
    /// - Returns: nil when the program came to its end without as many steps.
    func run(
      _ program: URL, _ arguments: [String], in folder: URL, _ kind: Kind, at number: Int
    ) throws -> ProcessResult? {
      try? FileManager.default.removeItem(at: marker)
      let result = try CLITests.run(
        program, arguments, in: folder,
        environment: [
          "LD_PRELOAD": library.path, "STEP_MARKER": marker.path, "STEP_AT": "\(number)",
          "STEP_KILLS": kind == .kill ? "1" : "0", "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "",
        ])
      return FileManager.default.fileExists(atPath: marker.path) ? result : nil
    }

    private static let source = #"""
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <fcntl.h>
      #include <signal.h>
      #include <stdarg.h>
      #include <stdlib.h>
      #include <sys/stat.h>
      #include <sys/syscall.h>
      #include <unistd.h>

      static long count;

      static int stops(void) {
        const char *at = getenv("STEP_AT");
        if (!at || ++count != atol(at)) return 0;
        syscall(SYS_close, syscall(SYS_open, getenv("STEP_MARKER"), O_CREAT | O_WRONLY, 0600));
        if (getenv("STEP_KILLS")[0] == '1') raise(SIGKILL);
        errno = ENOSPC;
        return 1;
      }

      #define REAL(name, type) static type real; if (!real) real = (type)dlsym(RTLD_NEXT, name)
      typedef int (*path_call)(const char *);
      typedef int (*paths_call)(const char *, const char *);
      typedef int (*mode_call)(const char *, mode_t);
      typedef int (*open_call)(const char *, int, ...);
      typedef ssize_t (*write_call)(int, const void *, size_t);

      int rename(const char *a, const char *b) { REAL("rename", paths_call); return stops() ? -1 : real(a, b); }
      int link(const char *a, const char *b) { REAL("link", paths_call); return stops() ? -1 : real(a, b); }
      int unlink(const char *a) { REAL("unlink", path_call); return stops() ? -1 : real(a); }
      int rmdir(const char *a) { REAL("rmdir", path_call); return stops() ? -1 : real(a); }
      int mkdir(const char *a, mode_t mode) { REAL("mkdir", mode_call); return stops() ? -1 : real(a, mode); }

      ssize_t write(int file, const void *bytes, size_t length) {
        REAL("write", write_call);
        struct stat status;
        if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || !stops()) return real(file, bytes, length);
        // Half of it, as a disk does that fills.
        return real(file, bytes, length / 2) >= 0 ? (errno = ENOSPC, -1) : -1;
      }

      int open(const char *path, int flags, ...) {
        REAL("open", open_call);
        if (!(flags & O_CREAT)) return real(path, flags);
        va_list rest;
        va_start(rest, flags);
        mode_t mode = va_arg(rest, mode_t);
        va_end(rest);
        return stops() ? -1 : real(path, flags, mode);
      }
      """#
  }
#endif
