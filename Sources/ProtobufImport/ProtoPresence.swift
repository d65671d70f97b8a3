/// The presence of a field without a label in an edition of Protocol Buffers: the feature `field_presence`.
enum ProtoPresence: String, CaseIterable {
  /// A field that is not set differs from a field that holds its default. This is the default of editions.
  case explicit = "EXPLICIT"
  /// A field that is not set has the default.
  case implicit = "IMPLICIT"
  /// A field is set in every message.
  case required = "LEGACY_REQUIRED"

  /// The presence that an option of a file states. Nil for another option.
  /// - Parameter statement: The statement, without blanks.
  init?(statement: String) {
    let start = "optionfeatures"
    guard statement.hasPrefix(start) else { return nil }
    let rest = statement.dropFirst(start.count)
    if rest.hasPrefix(".field_presence=") {
      self.init(start: rest.dropFirst(".field_presence=".count))
    } else {
      self.init(features: rest)
    }
  }

  /// The presence that the options of a field state; nil if they state none.
  init?(_ options: [String: ProtoFile.Option]) {
    if let option = options["features.field_presence"] {
      self.init(start: option.text[...])
    } else if let option = options["features"] {
      self.init(features: option.text[...])
    } else {
      return nil
    }
  }

  /// The presence among features in braces, which have no separator between them; nil if it is not among them.
  private init?(features: Substring) {
    guard let name = features.firstRange(of: "field_presence:") else { return nil }
    self.init(start: features[name.upperBound...])
  }

  private init?(start text: Substring) {
    guard let found = Self.allCases.first(where: { text.hasPrefix($0.rawValue) }) else { return nil }
    self = found
  }
}

extension ProtoFile.Message {
  /// Gives the fields without a label, and those of the messages inside, the label that means the same in proto2.
  /// - Parameter presence: The presence that a field has unless it states its own.
  mutating func labelFields(_ presence: ProtoPresence) {
    for index in fields.indices where fields[index].label == .none {
      let field = fields[index]
      // Members of a oneof, and maps, have no presence of their own.
      guard field.oneof == nil, field.keyType == nil else { continue }
      switch ProtoPresence(field.options) ?? presence {
      case .explicit: fields[index].label = .optional
      case .implicit: break
      case .required: fields[index].label = .required
      }
    }
    for index in messages.indices { messages[index].labelFields(presence) }
  }
}
