public import FlatBuffersCore

/// The request of dflatc to a plug-in, as plugin.fbs defines it.
public struct PluginRequest: Sendable {
  /// A schema for which output is wanted.
  public struct Input: Hashable, Sendable {
    /// The path, as `declarationFile` gives it in the schema: `//post.fbs`.
    public let path: String
    /// The stem of the names of its outputs: `post`, as in `post_generated.swift`.
    public let outputStem: String
  }

  /// The names of a definition in generated Swift, as code outside of all types and namespaces spells them.
  public struct SwiftType: Hashable, Sendable {
    /// The type of the data model, such as `Shop.Order`.
    public let model: String
    /// The type of the accessors, such as `Shop.OrderReader`.
    public let accessor: String
    /// The access level of the two types.
    public let access: Access
  }

  /// The access levels of generated Swift, with Swift's names, from the narrowest on.
  public enum Access: String, CaseIterable, Comparable, Sendable {
    /// Visible within the module.
    case `internal`
    /// Visible within the module's package.
    case package
    /// Visible everywhere.
    case `public`

    /// Returns whether `lhs` is narrower than `rhs`. The order is `internal`, then `package`, then `public`.
    public static func < (lhs: Access, rhs: Access) -> Bool { lhs.rank < rhs.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Reads a level. An earlier dflatc sends none, and writes public Swift.
    fileprivate init(_ text: String?) { self = text.flatMap(Access.init(rawValue:)) ?? .public }
  }

  /// The reason why bytes are no request.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason as a sentence.
    public let description: String
  }

  /// The schemas for which output is wanted.
  public let inputs: [Input]
  /// The text after the colon in `--plugin NAME:PARAMETER`; empty without one.
  public let parameter: String
  /// The version of dflatc.
  public let compilerVersion: String
  /// The schema of all inputs, with the files that they include.
  public let schema: reflection.SchemaReader
  /// The Swift types of the definitions, by the definitions' names in the schema. Empty if the run writes no Swift.
  public let swiftTypes: [String: SwiftType]
  /// The access level of the run, as `--access` sets it. Single types may have narrower levels.
  public let access: Access

  /// Reads a request. The bytes are verified first, so nothing outside of them is read, whatever they are.
  /// - Throws: `Failure` if they are no request, or the schema in it is damaged.
  public init(_ bytes: [UInt8]) throws(Failure) {
    // Services refer to objects repeatedly, so tables are not limited. dflatc does not limit schemas either.
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

  /// Returns the stem for a dflatc that sends none: the last component of the path, without its extension.
  private static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return String(name) }
    return String(name[..<dot])
  }
}

extension FlatBufferVector where Element == reflection.KeyValueReader {
  /// Returns the value of an attribute: empty if it was written without one, nil if the attribute is absent.
  public func value(of attribute: String) -> String? {
    for entry in self where entry.key == attribute { return entry.value ?? "" }
    return nil
  }

  /// Returns whether an attribute is present.
  public func contains(_ attribute: String) -> Bool { value(of: attribute) != nil }
}
