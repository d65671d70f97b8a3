/// The kind of an index that the attributes of a field ask for: what its entries are, and whether it is unique.
public struct IndexKind: Hashable, Sendable {
  /// The entries that an index has for an object.
  public enum Entries: Hashable, Sendable {
    /// One entry, the value of the field: `(indexed)`, `(unique)`.
    case value
    /// One entry, the text of the field without differences of case and diacritics: `(indexed: "folded")`,
    /// `(unique: "folded")`.
    case foldedText
    /// An entry for each different element of a vector: `(indexed)`.
    case elements
    /// An entry for each element of a vector of strings, without differences of case and diacritics:
    /// `(indexed: "folded")`.
    case foldedElements

    /// Whether the entries are texts without differences of case and diacritics.
    public var areFolded: Bool { self == .foldedText || self == .foldedElements }

    /// Whether an object has an entry for each different element of a vector.
    public var areElements: Bool { self == .elements || self == .foldedElements }

    /// The end of the index's name on disk, after the name of the field, such as `__elements`. It never changes.
    public var keySuffix: String {
      (areElements ? "__elements" : "") + (areFolded ? "__folded\(StoreNames.unicodeVersionOfFolding)" : "")
    }
  }

  /// The entries that the index has for an object.
  public let entries: Entries
  /// Whether no two objects may have equal entries. An index of elements is never unique.
  public let isUnique: Bool

  /// The kind of the index in words, such as `folded, unique`; empty for an index of values that may be equal.
  public var summary: String {
    var words: [String] = []
    if entries.areElements { words.append("elements") }
    if entries.areFolded { words.append("folded") }
    if isUnique { words.append("unique") }
    return words.joined(separator: ", ")
  }

  /// Returns the attribute that asks for the index; nil if the declaration has no such attribute.
  package func attribute(in declaration: Declaration) -> Attribute? {
    // A unique index is the one of `indexed` beside it, too.
    declaration.attribute(isUnique ? "unique" : "indexed")
  }
}

/// The content of a field that can be indexed.
enum IndexableContent {
  /// A value for each object, which is no text: a number, bool, enum or union's type, a mapped string, or the bytes of a struct.
  case value
  /// A text for each object.
  case text
  /// A vector of values that are no texts.
  case elements
  /// A vector of texts.
  case texts

  /// Whether there are texts, which can be folded.
  var isText: Bool { self == .text || self == .texts }

  /// Creates the content of a table's field; nil if it cannot be indexed.
  init?(_ field: FieldDefinition) { self.init(field.type, byteCount: field.byteCount, field.declaration) }

  /// Creates the content of a table's field of a type; nil if it cannot be indexed.
  ///
  /// - Parameter byteCount: The number of bytes of the struct that is the type; see `StructDefinition.byteCount`.
  init?(_ type: FieldType, byteCount: Int?, _ declaration: Declaration) {
    switch type {
    case .scalar, .enumeration, .union: self = .value
    // A mapped string is a value of another type for queries.
    case .string: self = declaration.mapping == nil ? .text : .value
    case .vector(of: .string): self = declaration.mapping == nil ? .texts : .elements
    case .vector(of: .scalar), .vector(of: .enumeration):
      guard !declaration.holdsNestedBuffer else { return nil }
      self = .elements
    case .structure where byteCount != nil: self = .value
    case .vector(of: .structure) where byteCount != nil: self = .elements
    case .structure, .table, .vector: return nil
    }
  }
}

extension IndexKind {
  /// Returns the kinds of indexes that attributes ask for and that a table's field can have: that of values, then that of folded
  /// texts.
  static func all(of type: FieldType, byteCount: Int?, _ declaration: Declaration) -> [IndexKind] {
    guard declaration.asksForIndex, let content = IndexableContent(type, byteCount: byteCount, declaration) else {
      return []
    }
    return all(of: content, declaration)
  }

  /// Returns the kinds of indexes that attributes ask for on an indexable field.
  static func all(of content: IndexableContent, _ declaration: Declaration) -> [IndexKind] {
    let forms = content.isText ? [false, true] : [false]
    return forms.compactMap { isFolded in
      func isWritten(_ name: String) -> Bool { declaration.attribute(name)?.asksForFolding == isFolded }
      switch content {
      case .elements, .texts:
        return isWritten("indexed") ? IndexKind(entries: isFolded ? .foldedElements : .elements, isUnique: false) : nil
      case .value, .text:
        let isUnique = isWritten("unique")
        guard isUnique || isWritten("indexed") else { return nil }
        return IndexKind(entries: isFolded ? .foldedText : .value, isUnique: isUnique)
      }
    }
  }
}

extension TableDefinition {
  /// Returns the indexes that one of the table's fields brings to every root that reaches it.
  ///
  /// The index of the primary key serves as that of the key's values, and keeps the value of a key of one field unique. It does not
  /// keep one field of several unique: such a field brings an index of its own.
  package func indexes(of field: FieldDefinition) -> [IndexKind] {
    if field.isDeprecated { return [] }
    guard field.isPrimary else { return field.indexes }
    return field.indexes.filter { $0.entries != .value || ($0.isUnique && hasCompositeKey) }
  }
}

extension StructDefinition.Field {
  /// Whether the field has one value, which can be indexed.
  var isSingleValue: Bool {
    switch type {
    case .scalar, .enumeration: true
    case .structure: byteCount != nil
    case .array: false
    }
  }

  /// The indexes that the attributes ask for and that the field can have: one at most.
  public var indexes: [IndexKind] {
    guard declaration.asksForIndex else { return [] }
    return isSingleValue ? IndexKind.all(of: .value, declaration) : []
  }
}

extension Declaration {
  /// Whether an attribute asks for an index, whether or not the field can have it.
  var asksForIndex: Bool { has("indexed") || has("unique") }

  /// The attributes that ask for indexes, whether or not the field can have them.
  var indexAttributes: [Attribute] { ["indexed", "unique"].compactMap { attribute($0) } }

  /// Whether the bytes of the vector are a buffer of their own.
  var holdsNestedBuffer: Bool { has("nested_flatbuffer") || has("flexbuffer") }
}

extension Attribute {
  /// The value of `indexed` and `unique` that asks for folded texts.
  static let folded = "folded"

  /// Whether `indexed` or `unique` asks for folded texts.
  var asksForFolding: Bool { value == .string(Self.folded) }
}
