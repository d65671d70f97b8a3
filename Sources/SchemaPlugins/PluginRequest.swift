public import FlatBuffersCore

/// What dflatc asks a plug-in, as plugin.fbs has it.
public struct PluginRequest: Sendable {
  /// A schema that output is wanted for.
  public struct Input: Hashable, Sendable {
    /// The path, as `declarationFile` gives it in the schema: `//post.fbs`.
    public let path: String
    /// What the names of its outputs begin with: `post`, as in `post_generated.swift`.
    public let outputStem: String
  }

  /// What generated Swift calls a definition, as code outside of all types and namespaces spells it.
  public struct SwiftType: Hashable, Sendable {
    /// The type of the data model, such as `Shop.Order`.
    public let model: String
    /// The type of the accessors, such as `Shop.OrderReader`.
    public let accessor: String
    /// Who may use both.
    public let access: Access
  }

  /// Who may use generated Swift, in Swift's words, from the narrowest level.
  public enum Access: String, CaseIterable, Comparable, Sendable {
    /// The module that it is in.
    case `internal`
    /// The package that the module is in.
    case package
    /// Everybody.
    case `public`

    /// Whether `lhs` is the narrower level.
    public static func < (lhs: Access, rhs: Access) -> Bool { lhs.rank < rhs.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// An earlier dflatc says nothing, and writes public Swift.
    fileprivate init(_ text: String?) { self = text.flatMap(Access.init(rawValue:)) ?? .public }
  }

  /// Why bytes are no request.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason as a sentence.
    public let description: String
  }

  /// The schemas that output is wanted for.
  public let inputs: [Input]
  /// What follows the colon in `--plugin NAME:PARAMETER`; empty without one.
  public let parameter: String
  /// The version of dflatc.
  public let compilerVersion: String
  /// The schema of all inputs, with what they include.
  public let schema: reflection.SchemaReader
  /// The Swift types of the definitions, by the definitions' names in the schema. Empty if the run writes no Swift.
  public let swiftTypes: [String: SwiftType]
  /// Who may use the Swift of the run, as `--access` says it. Types may say something narrower of themselves.
  public let access: Access

  /// Reads a request. It is verified first: nothing is read outside of the bytes, whatever they are.
  /// - Throws: `Failure` if they are no request, or the schema in it is damaged.
  public init(_ bytes: [UInt8]) throws(Failure) {
    // Objects are referred to again and again, from services. dflatc limits nobody's schemas.
    let limits = FlatBufferVerifier.Options(maximumTableCount: .max)
    let request: CodeGeneratorRequestReader
    do {
      request = try CodeGeneratorRequestReader(verifying: ByteBuffer(bytes), options: limits)
    } catch {
      throw Failure(description: "The request is no CodeGeneratorRequest: \(error)")
    }
    do {
      schema = try reflection.SchemaReader(verifying: ByteBuffer(request.schema.array), options: limits)
    } catch {
      throw Failure(description: "The schema in the request is no binary schema: \(error)")
    }
    let stems = request.outputStems
    inputs = request.filesToGenerate.enumerated().map { place, path in
      Input(path: path, outputStem: place < stems.count ? stems[place] : Self.stem(of: path))
    }
    parameter = request.parameter ?? ""
    compilerVersion = request.compilerVersion ?? ""
    var types: [String: SwiftType] = [:]
    for type in request.swiftTypes {
      types[type.name ?? ""] = SwiftType(
        model: type.model ?? "", accessor: type.accessor ?? "", access: Access(type.access))
    }
    access = Access(request.access)
    swiftTypes = types
  }

  /// The stem that an earlier dflatc, which gives none, means: the last component of the path, without its extension.
  private static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return String(name) }
    return String(name[..<dot])
  }
}

extension FlatBufferVector where Element == reflection.KeyValueReader {
  /// The value of an attribute: empty if it was written without one, nil if it was not written.
  public func value(of attribute: String) -> String? {
    for entry in self where entry.key == attribute { return entry.value ?? "" }
    return nil
  }

  /// Whether an attribute was written.
  public func contains(_ attribute: String) -> Bool { value(of: attribute) != nil }
}
