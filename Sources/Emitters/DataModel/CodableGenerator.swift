import FBSSchema

/// The conformance to `Codable` of a type that is made so by `(codable)`.
///
/// Swift makes `encode(to:)` from the coding keys, since they stand in the same file as the type. Decoding is spelled
/// out: what is missing takes the schema's default.
struct CodableGenerator {
  private let name: String

  /// Nil for a type that is not to be `Codable`.
  init?(_ unit: EmissionUnit, _ definition: DefinitionID) {
    guard unit.traits.codable.contains(definition) else { return nil }
    switch definition {
    case .enumeration(let id): name = unit.names.model(id)
    case .structure(let id): name = unit.names.model(id)
    case .table(let id): name = unit.names.model(id)
    case .union(let id): name = unit.names.model(id)
    }
  }

  /// A table that is a struct.
  func emit(_ fields: [SwiftField], to writer: inout CodeWriter) {
    conformance(keys: fields.map(\.name), to: &writer) { writer in
      writer.block("public init(from decoder: any Decoder) throws") { writer in
        fieldDecoder(to: &writer)
        for field in fields {
          writer.line("self.\(field.name) = try \(field.decoding)")
        }
      }
    }
  }

  /// A root table.
  func emit(ofClass fields: [SwiftField], to writer: inout CodeWriter) {
    conformance(keys: fields.map(\.name), to: &writer) { writer in
      writer.block("public convenience init(from decoder: any Decoder) throws") { writer in
        fieldDecoder(to: &writer)
        writer.list("try self.init(", ["_rowid: 0"] + fields.map { "\($0.label): \($0.decoding)" }, ")")
      }
    }
  }

  /// A struct.
  func emit(_ fields: [SwiftStructField], to writer: inout CodeWriter) {
    conformance(keys: fields.map(\.name), to: &writer) { writer in
      writer.block("public init(from decoder: any Decoder) throws") { writer in
        fieldDecoder(to: &writer)
        for field in fields {
          writer.line("self.\(field.name) = try \(field.decoding)")
        }
      }
    }
  }

  /// A union: an object whose one key is the member's name.
  func emit(_ cases: [(name: String, type: String)], to writer: inout CodeWriter) {
    conformance(keys: cases.map(\.name), to: &writer) { writer in
      writer.block("public init(from decoder: any Decoder) throws") { writer in
        fieldDecoder(to: &writer)
        writer.line("switch try fields.onlyKey() {")
        for (name, _) in cases {
          writer.line("case .\(name): self = .\(name)(try fields.member(.\(name)))")
        }
        writer.line("}")
      }
      writer.blank()
      writer.block("public func encode(to encoder: any Encoder) throws") { writer in
        writer.line("var container = encoder.container(keyedBy: CodingKeys.self)")
        writer.line("switch self {")
        for (name, _) in cases {
          writer.line("case .\(name)(let member): try container.encode(member, forKey: .\(name))")
        }
        writer.line("}")
      }
    }
  }

  private func fieldDecoder(to writer: inout CodeWriter) {
    writer.line("let fields = try FieldDecoder<CodingKeys>(decoder)")
  }

  private func conformance(keys: [String], to writer: inout CodeWriter, _ body: (inout CodeWriter) -> Void) {
    writer.blank()
    guard !keys.isEmpty else {
      writer.line("extension \(name): Codable {}")
      return
    }
    writer.block("extension \(name): Codable") { writer in
      writer.block("private enum CodingKeys: String, CodingKey") { writer in
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

extension SwiftField {
  /// Decodes the field with `fields`.
  fileprivate var decoding: String {
    guard let modelDefault else { return "fields.required(.\(name))" }
    return modelDefault == "nil" ? "fields.optional(.\(name))" : "fields.value(.\(name), default: \(modelDefault))"
  }
}

extension SwiftStructField {
  /// Decodes the field with `fields`.
  fileprivate var decoding: String {
    guard case .array(_, let count) = field.type else { return "fields.value(.\(name), default: \(modelDefault))" }
    return "fields.array(.\(name), count: \(count), default: \(modelDefault))"
  }
}
