import Foundation
import TestSupport
import Testing

@Suite("dflatc inspect")
struct InspectTests {
  /// A folder with a schema, and a store of two posts as the runtime lays it out.
  private func withStore(
    _ posts: [(title: String, rating: String)] = [("a, b", "1.5"), ("c", "nan")], _ body: (URL) throws -> Void
  ) throws {
    let schema = "table Post { title: string (primary); rating: float; }\nroot_type Post;\n"
    let rows = posts.map { title, rating in
      let escaped = title.unicodeScalars.map { $0 == "\"" ? "\\\"" : String($0) }.joined()
      return (title: title, json: "{ title: \"\(escaped)\", rating: \(rating) }")
    }
    try withStoredPosts(schema: schema, rows, body)
  }

  @Test("Objects are listed in each format", .enabled(if: hasSQLite))
  func formats() throws {
    try withStore { folder in
      func output(_ arguments: String...) throws -> String {
        let result = try run(
          productsFolder.appending(path: "dflatc"), ["inspect", "app.sqlite3", "--schema", "post.fbs"] + arguments,
          in: folder)
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
        return result.output
      }
      #expect(try output("Post") == "title  rating\na, b   1.5\nc      nan\n")
      #expect(try output("Post", "--format", "csv") == "title,rating\r\n\"a, b\",1.5\r\nc,nan\r\n")
      let lines = "{\"title\": \"a, b\",\"rating\": 1.5}\n{\"title\": \"c\",\"rating\": \"nan\"}\n"
      #expect(try output("Post", "--format", "jsonl") == lines)
      let json = try JSONSerialization.jsonObject(with: Data(output("Post", "--format", "json").utf8))
      #expect((json as? [[String: Any]])?.count == 2)
      #expect(try output("Post", "--where", "title = 'x'", "--format", "json") == "[]\n")
      #expect(try output("Post", "--where", "rating is null", "--format", "jsonl").hasPrefix("{\"title\": \"c\""))
      #expect(try output().split(separator: "\n").last?.split(separator: " ").prefix(2) == ["Post", "2"])
      #expect(try output("--verify") == "no faults\n")
    }
  }

  @Test("A binary schema says what rows are as its text does", .enabled(if: hasSQLite))
  func binarySchemas() throws {
    try withStore { folder in
      let compiled = try dflatc("compile", "--emit", "bfbs", "-o", ".", "post.fbs", in: folder)
      #expect(compiled.status == 0, "\(compiled.error)")
      for arguments in [["Post"], [], ["--verify"]] {
        let results = try ["post.fbs", "post.bfbs"].map { schema in
          try run(
            productsFolder.appending(path: "dflatc"), ["inspect", "app.sqlite3", "--schema", schema] + arguments,
            in: folder)
        }
        #expect(results[0].output == results[1].output && results[1].status == 0, "\(results[1].error)")
      }
    }
  }

  @Test("In CSV a quotation mark is doubled, also before a combining mark", .enabled(if: hasSQLite))
  func quotationMarks() throws {
    try withStore([("a\"\u{301},b", "1.5")]) { folder in
      let listing = try dflatc("inspect", "app.sqlite3", "--schema", "post.fbs", "Post", "--format", "csv", in: folder)
      let expected = "title,rating\r\n\"a\"\"\u{301},b\",1.5\r\n"
      #expect(Array(listing.output.utf8) == Array(expected.utf8), "\(listing.output)")
    }
  }

  /// Root may write everywhere, and so runs `dflatc` as nobody.
  private func runUnprivileged(
    _ arguments: [String], in folder: URL, environment: [String: String]? = nil
  ) throws -> ProcessResult {
    let program = productsFolder.appending(path: "dflatc")
    guard getuid() == 0 else { return try run(program, arguments, in: folder, environment: environment) }
    return try run(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "./dflatc"] + arguments, in: folder,
      environment: environment)
  }

  /// Lists the posts of a store as somebody who may not write to its folder.
  ///
  /// - Parameters:
  ///   - name: the name of the store in `folder`.
  ///   - closed: the folder that nobody may write to.
  ///   - environment: variables to be added to those of this process.
  private func list(
    _ name: String, in folder: URL, closing closed: URL, environment: [String: String]? = nil
  ) throws -> ProcessResult {
    if getuid() == 0 {
      // Nobody may not enter the folder of the build.
      try FileManager.default.copyItem(
        at: productsFolder.appending(path: "dflatc"), to: folder.appending(path: "dflatc"))
      // Whatever the umask is, nobody may read what is here.
      try runTool("chmod", ["-R", "a+rX", "."], in: folder)
    }
    func setPermissions(_ permissions: Int) throws {
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: closed.path)
    }
    try setPermissions(0o555)
    let result = Result {
      try runUnprivileged(
        ["inspect", name, "--schema", "post.fbs", "Post", "--format", "csv"], in: folder, environment: environment)
    }
    try setPermissions(0o755)
    return try result.get()
  }

  private static let listedPosts = "title,rating\r\n\"a, b\",1.5\r\nc,nan\r\n"

  @Test("In a folder that nobody may write to, a closed store is read", .enabled(if: hasSQLite))
  func readOnlyFolder() throws {
    try withStore { folder in
      try runTool("sqlite3", ["app.sqlite3"], input: Data("PRAGMA journal_mode = WAL;".utf8), in: folder)
      let listing = try list("app.sqlite3", in: folder, closing: folder)
      #expect(listing.output == Self.listedPosts, "\(listing.error)")
      #expect(listing.error == "note: app.sqlite3: the folder is read-only, so the file is read as nobody writes it\n")
    }
  }

  @Test("A link to a store in a folder that nobody may write to is read as the store is", .enabled(if: hasSQLite))
  func linkIntoReadOnlyFolder() throws {
    try withStore { folder in
      try runTool("sqlite3", ["app.sqlite3"], input: Data("PRAGMA journal_mode = WAL;".utf8), in: folder)
      let closed = folder.appending(path: "closed")
      let files = FileManager.default
      try files.createDirectory(at: closed, withIntermediateDirectories: true)
      try files.moveItem(at: folder.appending(path: "app.sqlite3"), to: closed.appending(path: "app.sqlite3"))
      try files.createSymbolicLink(
        atPath: folder.appending(path: "link.sqlite3").path, withDestinationPath: "closed/app.sqlite3")
      // The link itself is in a folder that anybody may write to.
      try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
      let listing = try list("link.sqlite3", in: folder, closing: closed)
      #expect(listing.output == Self.listedPosts, "\(listing.error)")
      #expect(listing.error == "note: link.sqlite3: the folder is read-only, so the file is read as nobody writes it\n")
    }
  }

  @Test("A locked store is not read, also in a folder that nobody may write to", .enabled(if: hasSQLite))
  func lockedInReadOnlyFolder() throws {
    try withStore { folder in
      let file = try FileHandle(forUpdating: folder.appending(path: "app.sqlite3"))
      // The bytes that SQLite locks are at the same position in every file: see `PENDING_BYTE` in its source.
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      lock.l_start = 0x4000_0000
      lock.l_len = 512
      try #require(fcntl(file.fileDescriptor, F_SETLK, &lock) == 0)
      let listing = try list("app.sqlite3", in: folder, closing: folder)
      try file.close()
      #expect(listing.status == 3 && listing.output.isEmpty, "\(listing.output)")
      #expect(
        listing.error == "error: cannot read app.sqlite3: another process has locked it: try again when that is done\n")
    }
  }

  @Test("A store with an interrupted transaction is not read as if that had been committed", .enabled(if: hasSQLite))
  func interruptedTransaction() throws {
    try withStore { folder in
      // The start of a journal: to SQLite, it belongs to a transaction that was not committed.
      let start = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7] + [UInt8](repeating: 0, count: 504))
      try start.write(to: folder.appending(path: "app.sqlite3-journal"))
      let listing = try list("app.sqlite3", in: folder, closing: folder)
      #expect(listing.status == 3 && listing.output.isEmpty, "\(listing.output)")
      #expect(listing.error.contains("a transaction was interrupted and has to be rolled back"), "\(listing.error)")
    }
  }

  #if os(Linux)
    @Test(
      "A store is read in a folder that nobody may write to, whatever error its file system has for locks",
      .enabled(if: hasSQLite), arguments: [ENOLCK, EPERM, EIO])
    func readOnlyFolderWithoutLocks(_ error: Int32) throws {
      try withStore { folder in
        // Replaces the lock function of the C library.
        let source = try folder.write(
          #"""
          #define _GNU_SOURCE
          #include <errno.h>
          #include <fcntl.h>
          #include <stdarg.h>
          #include <sys/syscall.h>
          #include <unistd.h>

          int fcntl64(int file, int command, ...) {
            va_list rest;
            va_start(rest, command);
            long argument = va_arg(rest, long);
            va_end(rest);
            if (command == F_SETLK) return errno = LOCK_ERROR, -1;
            return syscall(SYS_fcntl, file, command, argument);
          }
          int fcntl(int file, int command, ...) __attribute__((alias("fcntl64")));
          """#, to: "locks.c")
        let library = folder.appending(path: "locks.so").path
        try runTool("cc", ["-shared", "-fPIC", "-O1", "-DLOCK_ERROR=\(error)", "-o", library, source])
        let listing = try list("app.sqlite3", in: folder, closing: folder, environment: ["LD_PRELOAD": library])
        #expect(listing.output == Self.listedPosts, "\(listing.error)")
        #expect(
          listing.error == "note: app.sqlite3: the folder is read-only, so the file is read as nobody writes it\n")
      }
    }

    @Test("A verification that takes long shows how far it is, on a terminal alone", .enabled(if: hasSQLite))
    func progress() throws {
      try withStore { folder in
        let program = productsFolder.appending(path: "dflatc").path
        try folder.write("'\(program)' inspect app.sqlite3 --schema post.fbs --verify", to: "verify.sh")
        var shown = ""
        // How many rows take longer than a second depends on the machine.
        for rows in [400_000, 1_600_000, 6_400_000] where !shown.contains("rows") {
          // Without the unique key that a store has, copies of one row can be in it.
          let sql = """
            CREATE TABLE copies (rowid INTEGER PRIMARY KEY, __pk0, p);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO copies (__pk0, p) SELECT 'c', p FROM n, (SELECT p FROM post WHERE __pk0 = 'c' LIMIT 1);
            DROP TABLE post;
            ALTER TABLE copies RENAME TO post;
            """
          try runTool("sqlite3", ["app.sqlite3"], input: Data(sql.utf8), in: folder)
          shown = String(
            decoding: try runTool("script", ["-qec", "sh verify.sh", "/dev/null"], in: folder), as: UTF8.self)
        }
        #expect(shown.contains(/\r\[#*\.*\] [0-9]+ %, [0-9]+ of [0-9]+ rows/), "\(shown.suffix(200))")
        // The line is gone at the end.
        #expect(shown.hasSuffix("\r\u{1B}[Kno faults\r\n"), "\(shown.suffix(200))")
        let piped = try dflatc("inspect", "app.sqlite3", "--schema", "post.fbs", "--verify", in: folder)
        #expect(piped.output == "no faults\n" && piped.error.isEmpty)
      }
    }
  #endif

  @Test(
    "inspect says how much of a cut-off file is missing, and lists the rows that are left, also in an order",
    .enabled(if: hasSQLite))
  func cutOffFiles() throws {
    try withStore { folder in
      let rows = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO post (__pk0, p) SELECT 'copy ' || i, p FROM n, (SELECT p FROM post WHERE __pk0 = 'c');
        """
      try runTool("sqlite3", ["app.sqlite3"], input: Data(rows.utf8), in: folder)
      let whole = try Data(contentsOf: folder.appending(path: "app.sqlite3"))
      for format in ["table", "csv", "jsonl"] {
        let half = whole.count / 8192 * 4096
        try whole.prefix(half).write(to: folder.appending(path: "half.sqlite3"))
        // As SQLite leaves it beside a file that was read.
        try Data().write(to: folder.appending(path: "half.sqlite3-wal"))
        let result = try dflatc(
          "inspect", "half.sqlite3", "--schema", "post.fbs", "Post", "--format", format, in: folder)
        #expect(result.status == 1)
        #expect(
          result.error.hasPrefix(
            "note: half.sqlite3: the file is cut off: it has \(half) bytes of \(whole.count)\nerror: cannot read half.sqlite3: the file is damaged"
          ))
        let lines = result.output.split { $0.isNewline }
        #expect(lines.count > 3 && lines.count < 5000, "\(format): \(lines.count) lines")
        #expect(lines.last?.contains("nan") == true)
        let ordered = try dflatc(
          "inspect", "half.sqlite3", "--schema", "post.fbs", "Post", "--format", format, "--order", "title desc",
          in: folder)
        #expect(ordered.status == 1 && ordered.error == result.error)
        #expect(ordered.output.split { $0.isNewline }.count == lines.count)
        #expect(ordered.output.split { $0.isNewline }.last?.contains("a, b") == true)
      }
      let verified = try dflatc("inspect", "half.sqlite3", "--schema", "post.fbs", "--verify", in: folder)
      #expect(verified.status == 1 && verified.output.hasPrefix("fault: file: the file is cut off: it has "))
      // Its first page is needed.
      try whole.prefix(3000).write(to: folder.appending(path: "start.sqlite3"))
      let start = try dflatc("inspect", "start.sqlite3", "--schema", "post.fbs", in: folder)
      let cutOff = "the file is cut off: it has 3000 bytes of \(whole.count)"
      #expect(start.status == 1 && start.error == "error: cannot read start.sqlite3: \(cutOff)\n")
      #expect(start.output.isEmpty)
    }
  }

  @Test("Faults, mistakes and files that are no stores each give their exit code", .enabled(if: hasSQLite))
  func exitCodes() throws {
    try withStore { folder in
      try runTool(
        "sqlite3", ["app.sqlite3"], input: Data("UPDATE post SET __pk0 = 'z' WHERE rowid = 2;".utf8), in: folder)
      for (arguments, status, text) in [
        (["app.sqlite3", "--verify"], 1, "fault: post, row 2: the key `title` is not that of the object's bytes"),
        (["app.sqlite3", "Post", "--where", "titel = 'x'"], 1, "did you mean `title`?"),
        (["app.sqlite3", "Pots"], 2, "Did you mean 'Post'?"), (["app.sqlite3", "--limit", "3"], 2, "name it"),
        (["missing.sqlite3"], 3, "cannot read missing.sqlite3: there is no such file"),
        (["post.fbs"], 1, "not a SQLite database, or it is encrypted"),
      ] {
        let result = try run(
          productsFolder.appending(path: "dflatc"), ["inspect"] + arguments + ["--schema", "post.fbs"], in: folder)
        #expect(
          Int(result.status) == status && (result.output + result.error).contains(text), "\(arguments): \(result)")
      }
    }
  }
}
