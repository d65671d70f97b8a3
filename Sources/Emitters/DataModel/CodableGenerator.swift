import FBSSchema

/// The conformance to `Codable` of a type that is made so by `(codable)`.
///
/// Swift makes `encode(to:)` from the coding keys, since they stand in the same file as the type. Decoding is spelled
/// out: what is missing takes the schema's default.
struct CodableGenerator {
  private let name: String
  private let imported: ImportedTypeNames

  /// Nil for a type that is not to be `Codable`.
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

  /// Stands after the other protocols where the type is defined. An extension that conforms would belong to the main actor in a
  /// module where all does that does not say otherwise.
  var conformance: CodeText { ", \(imported[.codable])" }

  private var decodeHead: CodeText { "public init(from decoder: any \(imported[.decoder])) throws" }
  private var encodeHead: CodeText { "public func encode(to encoder: any \(imported[.encoder])) throws" }

  /// A table that is a struct.
  func emit(_ fields: [SwiftField], to writer: inout CodeWriter) {
    emit(fields, of: name, to: &writer)
  }

  /// A root table: the class is encoded as its builder, which has the values.
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

  /// A struct.
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

  /// A union: an object whose one key is the member's name.
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

  /// A union without members: there is none to encode, and nothing that decodes as one.
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
    // Swift makes all that a type without fields needs.
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

/// The coding keys of a type. What is called otherwise in Swift, by `swift_name` or since its name was not free, keeps its
/// key, so that what has been encoded can be read.
private struct CodingKeyNames {
  /// The cases of an enum of strings.
  let cases: [String]

  /// The keys for members with a name in the schema and in Swift; `convention` makes one of the other.
  init(_ members: [(name: String, swiftName: String)], _ convention: (String) -> String = Namer.fieldName) {
    // Most have the key that Swift makes of the name.
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
  /// Decodes the field with `fields`.
  fileprivate var decoding: String {
    guard let modelDefault else { return "fields.required(.\(name))" }
    return modelDefault == "nil" || mapping != nil
      ? "fields.optional(.\(name))" : "fields.value(.\(name), default: \(modelDefault))"
  }
}

extension SwiftStructField {
  /// Decodes the field with `fields`.
  fileprivate var decoding: String {
    guard case .array(_, let count) = field.type else { return "fields.value(.\(name), default: \(modelDefault))" }
    return "fields.array(.\(name), count: \(count), default: \(modelDefault))"
  }
}
