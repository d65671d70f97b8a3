import Foundation
import TestSupport
import Testing

/// The scripts also run on macOS, which has bash 3.2 and the tools of BSD.
@Suite("The scripts on macOS")
struct PortableScriptTests {
  private func scripts() throws -> [String] {
    let others = [
      "Makefile", "Examples/Makefile", "Quality/Makefile", "Editors/Makefile", "Packaging/Makefile",
      "Packaging/bundle.sh", "Packaging/distribute.sh", "Packaging/formula.sh", "Quality/Benchmarks/write-header.sh",
      "Quality/Fuzz/fuzz.sh", "Examples/ci/pre-commit", ".ci/run",
    ]
    let folder = packageFolder.appending(path: "Scripts")
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".sh") }
      .map { "Scripts/" + $0 }.sorted() + others
  }

  /// Returns what a line of a script needs and macOS lacks.
  private func missing(in line: Substring) -> [String] {
    let rules: [(pattern: Regex<Substring>, name: String)] = [
      (/(?:^|[^-\w])timeout \d/, "timeout: use `limit` of portable.sh"),
      (/\bsha256sum\b/, "sha256sum: use `checksums` of portable.sh"),
      (/\[-\d+\]/, "negative indices, of bash 4.2"),
      (/\b(?:mapfile|readarray|coproc|declare -[An]|local -n)\b/, "builtins of bash 4"),
      (/\$\{\w+(?:\[[@*]\])?[\^,]/, "changes of case, of bash 4"),
      (/\|&|&>>/, "redirections of bash 4"),
      (/\bdate [^)]*%N/, "%N of date"),
      (/\bsed -i\s/, "sed -i without a suffix"),
      (/\bsed [^|]*'s\/[^\/]*\/[^'\/]*\\n/, "\\n in what sed writes"),
      (/\b(?:sed|grep) [^E|]*\\\|/, "\\| in basic regular expressions"),
      (/\bgrep -\w*P/, "grep -P"),
      (/\b(?:stat -c|sort -V|head -n -|base64 -w|xargs -r|realpath|nproc|tac)\b/, "tools or options of GNU"),
    ]
    return rules.filter { line.contains($0.pattern) }.map(\.name)
  }

  @Test("No script needs bash 4 or the tools of GNU")
  func noScriptNeedsMoreThanMacOSHas() throws {
    for path in try scripts() {
      let text = try String(contentsOf: packageFolder.appending(path: path), encoding: .utf8)
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        guard !line.drop(while: { $0 == " " }).hasPrefix("#"), !line.hasPrefix("checksums() {") else { continue }
        let found = missing(in: line)
        #expect(found.isEmpty, "\(path):\(index + 1): \(found.joined(separator: ", "))")
      }
    }
  }

  @Test("What macOS lacks is found in a line")
  func findings() {
    for line in [
      "a && timeout 120 nvim", "sha256sum ./*.whl", #"kill "${servers[-1]}""#, "local begun=$(date +%s%N)",
      #"sed -i.bak 's/a;/a;\n  b;/' c"#, #"grep -o 'a\|b' c"#, "sed -i 's/a/b/' c",
    ] {
      #expect(missing(in: line[...]).count == 1, "\(line)")
    }
    for line in ["pip install --timeout 20 x", "limit 120 nvim", "sed -i.bak 's/a/b/' c", "one in ${all//,/ }"] {
      #expect(missing(in: line[...]).isEmpty, "\(line)")
    }
  }

  @Test("Without timeout, a command runs without a limit")
  func limitWithoutTimeout() throws {
    try withTemporaryFolder { folder in
      let result = try Shell(folder: folder).run(
        #"bash -c 'source "$DFLAT/Scripts/portable.sh"; PATH=$PWD; limit 9 /bin/sh -c "echo ran; exit 7" || echo $?'"#)
      #expect(result.text == "ran\n7\n")
    }
  }
}
