import Foundation
import TestSupport

/// The C++ library as the judge of pairs of schemas: in a program that answers many questions in one run.
struct DataOracle {
  private let program: URL

  /// Built once in a run, in the package's build folder.
  static let shared = Result { try DataOracle() }

  static let isAvailable = FileManager.default.fileExists(atPath: "/usr/include/flatbuffers/idl.h")

  private init() throws {
    let directory = packageFolder.appendingPathComponent(".build/evolution-oracle")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let hash = Self.source.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    program = directory.appendingPathComponent("oracle-\(String(hash, radix: 16))")
    guard !FileManager.default.isExecutableFile(atPath: program.path) else { return }
    let source = directory.appendingPathComponent("oracle.cpp")
    let output = program.path + ".\(ProcessInfo.processInfo.processIdentifier)"
    try Data(Self.source.utf8).write(to: source)
    try runTool("c++", ["-O1", "-std=c++17", "-o", output, source.path, "-lflatbuffers"])
    guard rename(output, program.path) == 0 else { throw ProgramFailure("cannot rename \(output)") }
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
      default: throw ProgramFailure(text)
      }
    }
  }

  func ask(_ batch: Batch) throws -> Answers {
    let output = [UInt8](try runTool(program.path, [], input: batch.input))
    var answers: [[UInt8]] = []
    var position = 0
    while position + 4 <= output.count {
      let count = (0..<4).reduce(0) { $0 | Int(output[position + $1]) << (8 * $1) }
      guard position + 4 + count <= output.count else { break }
      answers.append([UInt8](output[position + 4..<position + 4 + count]))
      position += 4 + count
    }
    guard answers.count == batch.answers else {
      throw ProgramFailure("\(batch.answers) questions, \(answers.count) answers")
    }
    return Answers(answers)
  }
}
