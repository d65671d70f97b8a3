import Foundation

/// A program in C++ that answers questions, so that what is tested is judged by other code.
package struct OracleProgram {
  /// Where it is.
  package let path: URL

  /// Builds a program, unless that was done before: its name has a hash of its source.
  ///
  /// - Parameters:
  ///   - name: the folder in the package's build folder.
  ///   - schema: a schema whose C++ the program includes. Its file stands beside the program.
  /// - Throws: what the compiler says.
  package init(name: String, source: String, schema: (name: String, text: String)? = nil) throws {
    let folder = packageFolder.appendingPathComponent(".build/\(name)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appendingPathComponent("oracle-\(stableHash(source + (schema?.text ?? "")))")
    if let schema { try Data(schema.text.utf8).write(to: folder.appendingPathComponent(schema.name), options: .atomic) }
    guard !FileManager.default.isExecutableFile(atPath: path.path) else { return }
    if let schema { try runTool("flatc", ["--cpp", schema.name], in: folder) }
    // Two runs of the tests, or two tests, may build it at the same time.
    let own = "\(path.path).\(UUID().uuidString)"
    let file = URL(fileURLWithPath: own + ".cpp")
    try Data(source.utf8).write(to: file)
    try runTool("c++", ["-O1", "-w", "-std=c++17", "-I", ".", "-o", own, file.path, "-lflatbuffers"], in: folder)
    try FileManager.default.removeItem(at: file)
    guard rename(own, path.path) == 0 else { throw ProgramFailure("cannot rename \(own)") }
  }

  /// Asks questions, each of a kind that the program knows: a letter, a count of bytes in four, and the bytes.
  package func ask(
    _ questions: [(kind: Character, payload: [UInt8])], _ arguments: [String] = []
  ) throws -> [[UInt8]] {
    var input = Data()
    for question in questions {
      input.append(contentsOf: Array(String(question.kind).utf8))
      withUnsafeBytes(of: UInt32(question.payload.count).littleEndian) { input.append(contentsOf: $0) }
      input.append(contentsOf: question.payload)
    }
    return try ask(input, arguments, count: questions.count)
  }

  /// Lets the program answer: each answer is a count of bytes, in four of them, and the bytes.
  ///
  /// - Throws: what the program says when it fails, and when there are not `count` answers.
  package func ask(_ input: Data, _ arguments: [String] = [], count: Int) throws -> [[UInt8]] {
    let folder = path.deletingLastPathComponent()
    let output = [UInt8](try runTool(path.path, arguments, input: input, in: folder, seconds: 900))
    var answers: [[UInt8]] = []
    var position = 0
    while position + 4 <= output.count {
      let size = (0..<4).reduce(0) { $0 | Int(output[position + $1]) << (8 * $1) }
      guard position + 4 + size <= output.count else { break }
      answers.append([UInt8](output[position + 4..<position + 4 + size]))
      position += 4 + size
    }
    guard answers.count == count else { throw ProgramFailure("\(count) questions, \(answers.count) answers") }
    return answers
  }
}

/// A number for a text that is the same in every run.
package func stableHash(_ text: String) -> String {
  String(text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
}
