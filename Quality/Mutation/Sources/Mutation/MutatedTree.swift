import Foundation

/// What Swift can be asked to watch at run time.
enum Sanitizer: String, CaseIterable, Sendable {
  case thread, address
}

/// A copy of the package in which every mutant can be switched on by an environment variable.
///
/// All are built at once: to build the package for each would take a minute or two each.
struct MutatedTree {
  let package: URL
  let folder: URL
  /// With which everything is built, if any.
  let sanitizer: Sanitizer?

  private var buildOptions: [String] {
    sanitizer.map { ["--sanitize=\($0.rawValue)", "--scratch-path", ".build-\($0.rawValue)"] } ?? []
  }

  var tests: String {
    folder.appendingPathComponent(".build\(sanitizer.map { "-" + $0.rawValue } ?? "")/debug/dflatPackageTests.xctest")
      .path
  }

  /// The Swift files below `folders` that people have written.
  func sources(below folders: [String]) throws -> [String] {
    try trackedFiles().filter { path in
      path.hasSuffix(".swift") && !path.hasSuffix("_generated.swift")
        && folders.contains { path == $0 || path.hasPrefix($0 + "/") }
    }
  }

  private func trackedFiles() throws -> [String] {
    let list = try run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], in: package)
    guard list.isSuccess else { throw MutationError("git does not list the files of \(package.path): \(list.output)") }
    return list.output.split(separator: "\n").map(String.init)
  }

  /// Copies what has changed since the last copy, so that what was built then need not be built again.
  func copy() throws {
    let files = FileManager.default
    for path in try trackedFiles() {
      let source = package.appendingPathComponent(path)
      // A file that is deleted and not yet committed is listed, too.
      guard files.fileExists(atPath: source.path) else { continue }
      if let target = try? files.destinationOfSymbolicLink(atPath: source.path) {
        try link(path, to: target)
        continue
      }
      try write(try Data(contentsOf: source), to: path)
      if files.isExecutableFile(atPath: source.path) {
        try files.setAttributes(
          [.posixPermissions: 0o755], ofItemAtPath: folder.appendingPathComponent(path).path)
      }
    }
  }

  private func link(_ path: String, to target: String) throws {
    let place = folder.appendingPathComponent(path)
    if (try? FileManager.default.destinationOfSymbolicLink(atPath: place.path)) == target { return }
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: target)
  }

  private func write(_ content: Data, to path: String) throws {
    let place = folder.appendingPathComponent(path)
    if let old = try? Data(contentsOf: place), old == content { return }
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try content.write(to: place)
  }

  /// Writes the mutants into the copy, builds it, and leaves out those that do not compile.
  /// - Returns: those that do, by their numbers, which begin at 1.
  func build(_ mutants: [Mutant], progress: (String) -> Void) throws -> [Int: Mutant] {
    var active = Dictionary(uniqueKeysWithValues: zip(1..., mutants))
    for round in 1... {
      try instrument(active)
      progress("building \(active.count) mutants, round \(round)")
      let build = try run(["swift", "build", "--build-tests"] + buildOptions, in: folder)
      if build.isSuccess { return active }
      let faulty = Set(
        Self.faults(in: build.output, of: folder.path + "/").compactMap { fault in
          // The mutant of the line, or the nearest one: an expression of several lines is told of where it begins.
          active.filter { $0.value.path == fault.path }.min {
            abs($0.value.line - fault.line) < abs($1.value.line - fault.line)
          }
        }.map(\.key))
      guard !faulty.isEmpty else {
        throw MutationError("the package with mutants does not build:\n\(build.output.suffix(3000))")
      }
      active = active.filter { !faulty.contains($0.key) }
    }
    return active
  }

  /// The lines of the unchanged files that errors are about.
  private static func faults(in output: String, of root: String) -> [(path: String, line: Int)] {
    output.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 3)
      guard parts.count == 4, parts[3].hasPrefix(" error: "), parts[0].hasPrefix(root), let number = Int(parts[1])
      else { return nil }
      // The import stands in front.
      return (String(parts[0].dropFirst(root.count)), number - 1)
    }
  }

  private func instrument(_ mutants: [Int: Mutant]) throws {
    try copy()
    var operators = ""
    let guarded = try fileOfLocks()
    for (path, numbers) in Dictionary(grouping: mutants.keys.sorted(), by: { mutants[$0]?.path ?? "" }) {
      let source = MaskedSource(
        String(decoding: try Data(contentsOf: package.appendingPathComponent(path)), as: UTF8.self))
      var lines = source.lines
      for number in numbers {
        guard let mutant = mutants[number] else { continue }
        let line = lines[mutant.line - 1]
        let original = String(decoding: line[mutant.range], as: UTF8.self)
        lines[mutant.line - 1].replaceSubrange(
          mutant.range, with: Array(mutant.replacement(for: original, number: number).utf8))
        if [.comparison, .equality, .logic, .arithmetic].contains(mutant.kind) {
          operators += OperatorName.declaration(of: original, number: number) ?? ""
        }
      }
      var text = "import Mutants\n" + lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
      if path == guarded { text += Self.lockless }
      try write(Data(text.utf8), to: path)
    }
    if !mutants.values.contains(where: { $0.path == guarded }) {
      let text = String(decoding: try Data(contentsOf: package.appendingPathComponent(guarded)), as: UTF8.self)
      try write(Data(("import Mutants\n" + text + Self.lockless).utf8), to: guarded)
    }
    try write(Data((Self.switches + operators).utf8), to: "Sources/Mutants/Mutants.swift")
    let manifest = String(
      decoding: try Data(contentsOf: package.appendingPathComponent("Package.swift")), as: UTF8.self)
    try write(Data((manifest + Self.manifestAddition).utf8), to: "Package.swift")
  }

  /// The file that declares `Guarded`, wherever it is.
  private func fileOfLocks() throws -> String {
    guard let path = try trackedFiles().first(where: { $0.hasPrefix("Sources/") && $0.hasSuffix("/Guarded.swift") })
    else { throw MutationError("there is no file Guarded.swift, in which locks can be left out") }
    return path
  }

  private static let manifestAddition = """

    for target in package.targets where target.type == .regular || target.type == .executable {
      guard target.path.map({ $0.hasPrefix("Sources") }) ?? !target.name.hasPrefix("C") else { continue }
      target.dependencies.append("Mutants")
    }
    package.targets.append(.target(name: "Mutants"))

    """

  /// Beside `withLock`, in whose file the value can be reached.
  private static let lockless = """

    extension Guarded {
      package func withoutLock<Result, Failure: Error>(
        _ number: Int, _ body: (inout Value) throws(Failure) -> Result
      ) throws(Failure) -> Result {
        guard isActive(number) else { return try withLock(body) }
        return try body(&value)
      }
    }

    """

  /// The module that all mutants ask. A mutant that is asked leaves its mark in a file that all processes of a run share.
  private static let switches = """
    import Foundation
    import Synchronization

    private let active = Int(ProcessInfo.processInfo.environment["DFLAT_MUTANT"] ?? "") ?? 0

    // Set once, before any other use. Atomic, since threads of other processes set them, too.
    nonisolated(unsafe) private let marks: UnsafeMutablePointer<Atomic<UInt8>>? = {
      guard let path = ProcessInfo.processInfo.environment["DFLAT_MUTANT_MARKS"] else { return nil }
      let file = open(path, O_RDWR)
      guard file >= 0 else { return nil }
      defer { close(file) }
      let size = lseek(file, 0, Int32(SEEK_END))
      let memory = mmap(nil, Int(size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
      return memory == MAP_FAILED ? nil : memory?.assumingMemoryBound(to: Atomic<UInt8>.self)
    }()

    public func isActive(_ number: Int) -> Bool {
      marks?[number].store(1, ordering: .relaxed)
      return number == active
    }

    public func negated(_ number: Int, _ value: Bool) -> Bool { isActive(number) != value }

    public func next<T: BinaryInteger>(_ number: Int, _ value: T) -> T { isActive(number) ? value + 1 : value }
    public func next<T: BinaryFloatingPoint>(_ number: Int, _ value: T) -> T { isActive(number) ? value + 1 : value }


    """
}
