import FlatBuffersCore
import Foundation

/// The main function of a program that `dflatc compile --plugin` runs, from the request to the answer.
///
///     @main
///     struct TableList {
///       static func main() {
///         PluginProgram.run { request in
///           let names = request.schema.objects.map { ($0.name ?? "") + "\n" }
///           return [PluginOutput(name: "tables.txt", text: names.joined())]
///         }
///       }
///     }
public enum PluginProgram {
  /// Reads the request from standard input, and writes the answer to standard output.
  ///
  /// An error that `generate` throws becomes dflatc's diagnostic, and nothing is written: its description should say
  /// what is wrong with the schema, and where. An invalid request is answered in the same way.
  ///
  /// - Parameter generate: makes the files of a schema.
  public static func run(_ generate: (PluginRequest) throws -> [PluginOutput]) {
    do {
      let request = try FileHandle.standardInput.readToEnd() ?? Data()
      try FileHandle.standardOutput.write(contentsOf: response(to: Array(request), generate))
    } catch {
      // dflatc is gone, or does not listen: only people who read standard error are left.
      FileHandle.standardError.write(Data("The plug-in cannot talk to dflatc: \(error)\n".utf8))
      exit(1)
    }
  }

  /// Returns the bytes that answer a request.
  /// - Parameters:
  ///   - request: the bytes of a request.
  ///   - generate: makes the files of a schema.
  public static func response(
    to request: [UInt8], _ generate: (PluginRequest) throws -> [PluginOutput]
  ) -> [UInt8] {
    do {
      return try response { builder in
        let files = try generate(PluginRequest(request)).map { file in
          let name = builder.create(file.name)
          let content = builder.create(vector: file.content)
          return GeneratedFileReader.create(in: &builder, name: name, content: content)
        }
        let vector = builder.create(vector: files)
        return CodeGeneratorResponseReader.create(in: &builder, files: vector)
      }
    } catch {
      return refusal("\(error)")
    }
  }

  /// Returns the answer that there is no output, for a reason.
  private static func refusal(_ reason: String) -> [UInt8] {
    // An empty text would be no error. A megabyte would be no message for people, and might not fit into an answer.
    let reason =
      reason.isEmpty ? "The plug-in refuses the schema, and does not say why." : String(reason.prefix(100_000))
    let bytes = try? response { builder in
      let error = builder.create(reason)
      return CodeGeneratorResponseReader.create(in: &builder, error: error)
    }
    // To dflatc, no bytes mean that there is no answer.
    return bytes ?? []
  }

  private static func response(_ write: (inout FlatBufferBuilder) throws -> Offset) throws -> [UInt8] {
    var builder = FlatBufferBuilder()
    let root = try write(&builder)
    try builder.finish(root, as: CodeGeneratorResponseReader.self)
    return builder.withFinishedBytes { Array($0) }
  }
}

/// A file of a plug-in's output.
public struct PluginOutput: Hashable, Sendable {
  /// The path within the output folder, with `/` between its parts.
  public var name: String
  /// The bytes of the file.
  public var content: [UInt8]

  /// Creates a file of bytes.
  public init(name: String, content: [UInt8]) {
    self.name = name
    self.content = content
  }

  /// Creates a file of text, in UTF-8.
  public init(name: String, text: String) { self.init(name: name, content: Array(text.utf8)) }
}
