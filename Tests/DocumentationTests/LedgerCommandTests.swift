import Foundation
import TestSupport
import Testing

/// The commands around the ledger on PostgreSQL, whose programs are in Quality/Soak.
@Suite("The commands that run PostgreSQL's ledger")
struct LedgerCommandTests {
  /// A way to break the engine on purpose, as `Quality/Soak/breakages.json` has it.
  private struct Breakage: Decodable {
    struct Edit: Decodable {
      let file: String
      let old: String
      let new: String
    }

    let name: String
    let what: String
    /// Words of the title of the form that has to find it.
    let form: String
    let edits: [Edit]
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: packageFolder.appending(path: path), encoding: .utf8)
  }

  @Test("Each way to break the engine edits code that is there once, and names itself")
  func breakages() throws {
    let list = Data(try Self.text("Quality/Soak/breakages.json").utf8)
    let breakages = try JSONDecoder().decode([Breakage].self, from: list)
    #expect(breakages.count > 5 && Set(breakages.map(\.name)).count == breakages.count)
    let forms = try Self.text("Quality/Soak/Sources/Soak/Form.swift").split(separator: "\n")
    for breakage in breakages {
      #expect(!breakage.what.isEmpty && !breakage.edits.isEmpty, "\(breakage.name)")
      let found = forms.filter { $0.contains("a bank") && $0.contains(breakage.form) }
      #expect(found.count == 1, "\(breakage.name): \(breakage.form)")
      for edit in breakage.edits {
        let count = try Self.text(edit.file).ranges(of: edit.old).count
        #expect(count == 1, "\(breakage.name): \(edit.file) has this \(count) times: \(edit.old)")
        #expect(edit.new.contains("hasBreakage(\"\(breakage.name)\")"), "\(breakage.name)")
      }
    }
  }

  @Test("The table of versions has a column for everything that the ledger counts")
  func columns() throws {
    let command = try Self.text("Quality/Soak/ledger.py")
    let folder = "Tests/PostgresDflatTests/"
    let faults = try Self.text(folder + "Support/Ledger/LedgerFaults.swift").matches(of: /case \w+ = "(?<name>[^"]+)"/)
    #expect(faults.count > 8)
    var names = faults.map { String($0.name) }
    for path in ["Support/Ledger/Ledger.swift", "PostgresLedgerTests.swift"] {
      names += try Self.text(folder + path).matches(of: /LongForm\.record\(.+, "(?<name>[^"]+)"\)/)
        .map { String($0.name) }
    }
    #expect(names.contains("snapshots of the ledger") && names.contains("connections that were cut at a byte"))
    for name in names { #expect(command.contains("\"\(name)\""), "\(name)") }
  }

  @Test("A row replaces the row of its version in the table, and the oldest row names the commit")
  func rows() throws {
    try withTemporaryFolder { folder in
      let shell = Shell(folder: folder)
      guard try shell.run("command -v python3").isSuccess else { return }
      try folder.write(
        """
        2026-12-02, 61 minutes, 3 runs from seed 1, commit abc, Linux.

        | what was tried | how often | failures |
        |---|---|---|
        | PostgreSQL: a bank: crashes | 3,726 acknowledged transactions of the ledger; 1 crashes of the server; \
        3 sessions killed with -9, which restarts the server; 2 runs | 0 |
        | PostgreSQL: a bank: failovers | 1,000 acknowledged transactions of the ledger; 1 run | 1 |

        """, to: "soaked")
      try folder.write("A\n<!-- ledger -->\n\nan older form\n\n<!-- end of ledger -->\nB\n", to: "page.md")
      try folder.write(
        """
        import pathlib, ledger
        text, page = pathlib.Path("soaked").read_text(), pathlib.Path("page.md")
        for version, commit, day in [("16.1", "c1", "01"), ("14.2", "c2", "02"), ("16.2", "c3", "03")]:
            ledger.insert(ledger.row(text.replace("-12-02", "-12-" + day), version, commit), "Linux", page)
        print(page.read_text(), end="")
        """, to: "renew.py")
      let result = try shell.run("PYTHONPATH=\"$DFLAT/Quality/Soak\" python3 -B renew.py")
      let lines = result.text.split(separator: "\n")
      try #require(result.isSuccess && lines.count == 9, "\(result.text)")
      #expect(lines[2].hasPrefix("The oldest row is of 2026-12-02, commit c2, and "))
      #expect(lines[5].hasPrefix("| 14.2 | 2026-12-02 | c2 | 61 | 4,726 | 0 | "), "\(lines[5])")
      #expect(lines[6].hasPrefix("| 16.2 | 2026-12-03 | c3 | 61 | 4,726 | ") && lines[6].hasSuffix(" | 3 | 1 |"))
      #expect(lines[0] == "A" && lines[8] == "B" && lines[7] == "<!-- end of ledger -->")
    }
  }
}
