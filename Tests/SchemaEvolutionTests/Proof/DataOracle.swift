import Foundation

struct ToolFailure: Error, CustomStringConvertible {
  let description: String
}

/// The C++ library as the judge of pairs of schemas: in a program that answers many questions in one run.
struct DataOracle {
  private let program: URL

  /// Built once in a run, in the package's build folder.
  static let shared = Result { try DataOracle() }

  static let isAvailable = FileManager.default.fileExists(atPath: "/usr/include/flatbuffers/idl.h")

  private init() throws {
    let directory = repository.appendingPathComponent(".build/evolution-oracle")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let hash = Self.source.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    program = directory.appendingPathComponent("oracle-\(String(hash, radix: 16))")
    guard !FileManager.default.isExecutableFile(atPath: program.path) else { return }
    let source = directory.appendingPathComponent("oracle.cpp")
    let output = program.path + ".\(ProcessInfo.processInfo.processIdentifier)"
    try Data(Self.source.utf8).write(to: source)
    _ = try Self.run("c++", ["-O1", "-std=c++17", "-o", output, source.path, "-lflatbuffers"], input: Data())
    guard rename(output, program.path) == 0 else { throw ToolFailure(description: "cannot rename \(output)") }
  }

  /// An object, and the tables that it is, in the writer and in the reader.
  struct Object {
    let root: String
    let other: String
    let json: String
  }

  /// What became of an object.
  struct Answer {
    /// Nothing if it reads the same; or what does not.
    let fault: String?
    let bytes: [UInt8]
  }

  /// Questions, for one run of the program.
  struct Batch {
    fileprivate var input = Data()
    fileprivate var answers = 0

    fileprivate mutating func add(_ text: String) {
      withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { input.append(contentsOf: $0) }
      input.append(contentsOf: text.utf8)
    }

    mutating func conform(old: String, new: String) {
      add("conform")
      add(old)
      add(new)
      answers += 1
    }

    mutating func read(writing: String, written: String, reading: String, backward: Bool, _ objects: [Object]) {
      add(backward ? "backward" : "forward")
      add(writing)
      add(written)
      add(reading)
      withUnsafeBytes(of: UInt32(objects.count).littleEndian) { input.append(contentsOf: $0) }
      for object in objects {
        add(object.root)
        add(object.other)
        add(object.json)
      }
      answers += 2 * objects.count
    }
  }

  /// The answers of a batch, one after another.
  struct Answers {
    private let answers: [[UInt8]]
    private var next = 0

    fileprivate init(_ answers: [[UInt8]]) { self.answers = answers }

    /// What `flatc --conform` says, if anything; and whether it crashes.
    mutating func conformance() throws -> (says: String?, crashes: Bool) {
      if answers[next].first == UInt8(ascii: "C") {
        next += 1
        return (nil, true)
      }
      return (try verdict(), false)
    }

    mutating func object() throws -> Answer {
      let fault = try verdict()
      next += 1
      return Answer(fault: fault, bytes: answers[next - 1])
    }

    /// Passes over the bytes of an object that could not be written.
    mutating func skip() { next += 1 }

    private mutating func verdict() throws -> String? {
      let text = String(decoding: answers[next].dropFirst(), as: UTF8.self)
      next += 1
      switch answers[next - 1].first {
      case UInt8(ascii: "V"): return nil
      case UInt8(ascii: "I"): return text
      default: throw ToolFailure(description: text)
      }
    }
  }

  func ask(_ batch: Batch) throws -> Answers {
    let output = [UInt8](try Self.run(program.path, [], input: batch.input))
    var answers: [[UInt8]] = []
    var position = 0
    while position + 4 <= output.count {
      let count = (0..<4).reduce(0) { $0 | Int(output[position + $1]) << (8 * $1) }
      guard position + 4 + count <= output.count else { break }
      answers.append([UInt8](output[position + 4..<position + 4 + count]))
      position += 4 + count
    }
    guard answers.count == batch.answers else {
      throw ToolFailure(description: "\(batch.answers) questions, \(answers.count) answers")
    }
    return Answers(answers)
  }

  /// Runs a program found on PATH. Files rather than pipes: nothing can block.
  static func run(_ tool: String, _ arguments: [String], input: Data) throws -> Data {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("evolution-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: scratch) } catch { print("cannot remove \(scratch.path): \(error)") }
    }
    let (inputFile, outputFile) = (scratch.appendingPathComponent("in"), scratch.appendingPathComponent("out"))
    try input.write(to: inputFile)
    try Data().write(to: outputFile)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    let output = try FileHandle(forWritingTo: outputFile)
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    try output.close()
    let result = try Data(contentsOf: outputFile)
    guard process.terminationStatus == 0 else {
      let text = String(decoding: result.suffix(2000), as: UTF8.self)
      throw ToolFailure(description: "\(tool) ends with \(process.terminationStatus): \(text)")
    }
    return result
  }
}

/// Numbers that look random, and are the same in every run with the same seed.
struct Random {
  private var state: UInt64

  init(seed: Int) {
    state = UInt64(bitPattern: Int64(seed)) &* 0x2545_F491_4F6C_DD1D &+ 0x9E37_79B9_7F4A_7C15
    if state == 0 { state = 1 }
    for _ in 0..<4 { _ = next(2) }
  }

  /// From 0 up to, and without, `bound`.
  mutating func next(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int((state >> 11) % UInt64(bound))
  }

  /// True once in `times`.
  mutating func once(in times: Int) -> Bool { next(times) == 0 }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[next(choices.count)] }
}
