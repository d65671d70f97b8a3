import FBSSchema

/// Generates the `Codable` conformance of a type with `(codable)`.
///
/// Swift synthesizes `encode(to:)` from the coding keys, since they are in the same file as the type. Decoding is
/// written out: a missing value becomes the schema's default.
struct CodableGenerator {
  private let name: String
  private let imported: ImportedTypeNames

  /// Creates the generator for a definition; nil if the type is not `Codable`.
  init?(_ unit: EmissionUnit, _ definition: DefinitionID) {
    guard unit.traits.codable.contains(definition) else { return nil }
    imported = unit.imported
    switch definition {
    case .enumeration(let id): name = unit.names.model(id)
    case .structure(let id): name = unit.names.model(id)
    case .table(let id): name = unit.names.model(id)
    case .union(let id): name = unit.names.model(id)
    }
  }

  /// The conformance, written after the other protocols in the type's definition. In an extension, the conformance
  /// would belong to the main actor if that is the module's default isolation.
  var conformance: CodeText { ", \(imported[.codable])" }

  private var decodeHead: CodeText { "public init(from decoder: any \(imported[.decoder])) throws" }
  private var encodeHead: CodeText { "public func encode(to encoder: any \(imported[.encoder])) throws" }

  /// Writes the conformance of a table that is a struct.
  func emit(_ fields: [SwiftField], to writer: inout CodeWriter) {
    emit(fields, of: name, to: &writer)
  }

  /// Writes the conformance of a root table. The class is encoded as its builder, which has the values.
  func emit(ofClass fields: [SwiftField], builder: String, to writer: inout CodeWriter) {
    emit(fields, of: builder, to: &writer)
    writer.blank()
    writer.block("extension \(name)") { writer in
      writer.block("public convenience init(from decoder: any \(imported[.decoder])) throws") {
        $0.line("self.init(_values: try \(builder)(from: decoder), _rowid: 0)")
      }
      writer.blank()
      writer.line("\(encodeHead) { try _values.encode(to: encoder) }")
    }
  }

  private func emit(_ fields: [SwiftField], of type: String, to writer: inout CodeWriter) {
    let keys = CodingKeyNames(fields.map { ($0.field.name, $0.plainName) })
    coding(of: type, keys: keys, to: &writer) { writer in
      writer.block(decodeHead) { writer in
        fieldDecoder(to: &writer)
        for field in fields {
          let value: CodeText =
            field.wrapper == nil ? "try \(field.decoding)" : field.keptValue("try \(field.decoding)")
          writer.line("self.\(field.storedName) = \(value)")
        }
      }
    }
  }

  /// Writes the conformance of a struct.
  func emit(_ fields: [SwiftStructField], to writer: inout CodeWriter) {
    coding(of: name, keys: CodingKeyNames(fields.map { ($0.field.name, $0.plainName) }), to: &writer) { writer in
      writer.block(decodeHead) { writer in
        fieldDecoder(to: &writer)
        for field in fields {
          let value: CodeText =
            field.wrapper == nil
            ? "try \(field.decoding)" : ".init(try fields.optional(.\(field.name)), default: \(field.modelDefault))"
          writer.line("self.\(field.storedName) = \(value)")
        }
      }
    }
  }

  /// Writes the conformance of a union, which is encoded as an object with the member's name as its only key.
  func emit(_ members: [UnionDefinition.Member], _ names: Namer, to writer: inout CodeWriter) {
    guard !members.isEmpty else { return emitNothingToDecode(to: &writer) }
    let cases = members.map(names.caseName)
    let keys = CodingKeyNames(members.map { ($0.name, names.plain($0)) }, Namer.caseName)
    coding(of: name, keys: keys, to: &writer) { writer in
      writer.block(decodeHead) { writer in
        fieldDecoder(to: &writer)
        writer.line("switch try fields.onlyKey() {")
        for name in cases {
          writer.line("case .\(name): self = .\(name)(try fields.member(.\(name)))")
        }
        writer.line("}")
      }
      writer.blank()
      writer.block(encodeHead) { writer in
        writer.line("var container = encoder.container(keyedBy: CodingKeys.self)")
        writer.line("switch self {")
        for name in cases {
          writer.line("case .\(name)(let member): try container.encode(member, forKey: .\(name))")
        }
        writer.line("}")
      }
    }
  }

  /// Writes the conformance of a union without members: no value can be encoded or decoded.
  private func emitNothingToDecode(to writer: inout CodeWriter) {
    writer.blank()
    writer.block("extension \(name)") { writer in
      writer.line("private enum CodingKeys: \(imported[.codingKey]) {}")
      writer.blank()
      writer.block(decodeHead) { writer in
        fieldDecoder(to: &writer)
        writer.line("switch try fields.onlyKey() {}")
      }
      writer.blank()
      writer.line("\(encodeHead) { switch self {} }")
    }
  }

  private func fieldDecoder(to writer: inout CodeWriter) {
    writer.line("let fields = try \(imported[.fieldDecoder])<CodingKeys>(decoder)")
  }

  private func coding(
    of type: String, keys: CodingKeyNames, to writer: inout CodeWriter, _ body: (inout CodeWriter) -> Void
  ) {
    let keys = keys.cases
    // Swift synthesizes everything for a type without fields.
    guard !keys.isEmpty else { return }
    writer.blank()
    writer.block("extension \(type)") { writer in
      writer.block("private enum CodingKeys: \(imported[.string, .codingKey])") { writer in
        let line = "case " + keys.joined(separator: ", ")
        let fits = line.utf8.count + 4 <= CodeWriter.lineLength
        for line in fits ? [line] : keys.map({ "case \($0)" }) {
          writer.line(line)
        }
      }
      writer.blank()
      body(&writer)
    }
  }
}

/// The coding keys of a type. A member whose Swift name differs, by `swift_name` or because its name was taken, keeps
/// its key, so that encoded data stays readable.
private struct CodingKeyNames {
  /// The cases of an enum with raw type `String`.
  let cases: [String]

  /// Makes the keys of members with a name in the schema and one in Swift; `convention` derives the latter from the
  /// former.
  init(_ members: [(name: String, swiftName: String)], _ convention: (String) -> String = Namer.fieldName) {
    // Most members have the key that Swift derives from the name.
    var taken = Set(members.filter { convention($0.name) == $0.swiftName }.map(\.swiftName))
    cases = members.map { member in
      let name = SwiftKeywords.escape(member.swiftName)
      let key = convention(member.name)
      if key == member.swiftName { return name }
      var rule = GivingWay()
      let own = taken.contains(key) ? rule.first(member.name) { !taken.contains($0) } : key
      taken.insert(own)
      return own == member.swiftName ? name : "\(name) = \(swiftStringLiteral(own))"
    }
  }
}

extension SwiftField {
  /// The expression that decodes the field with `fields`.
  fileprivate var decoding: String {
    guard let modelDefault else { return "fields.required(.\(name))" }
    return modelDefault == "nil" || wrapper != nil
      ? "fields.optional(.\(name))" : "fields.value(.\(name), default: \(modelDefault))"
  }
}

extension SwiftStructField {
  /// The expression that decodes the field with `fields`.
  fileprivate var decoding: String {
    guard case .array(_, let count) = field.type else { return "fields.value(.\(name), default: \(modelDefault))" }
    return "fields.array(.\(name), count: \(count), default: \(modelDefault))"
  }
}
