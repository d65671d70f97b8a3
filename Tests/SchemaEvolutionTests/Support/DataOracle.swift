import Foundation
import TestSupport

/// The C++ library as the judge of pairs of schemas: in a program that answers many questions in one run.
struct DataOracle {
  private let program: OracleProgram

  /// Built once in a run, in the package's build folder.
  static let shared = Result { DataOracle(program: try OracleProgram(name: "evolution-oracle", source: Self.source)) }

  static let isAvailable = FileManager.default.fileExists(atPath: "/usr/include/flatbuffers/idl.h")

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
    Answers(try program.ask(batch.input, count: batch.answers))
  }
}
