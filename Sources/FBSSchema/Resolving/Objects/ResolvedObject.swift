import FBSParser

/// A JSON object that fits its table, with the meaning of its names and values: what an encoder needs besides the text.
public struct ResolvedObject: Sendable {
  /// The meaning of a value that is not an object, a list or a string.
  public enum Value: Hashable, Sendable {
    /// A number: of a floating-point field the bits of a `Double`, of any other the number in two's complement.
    case number(UInt64)
    /// `null`: the field is absent.
    case null
    /// A text whose hash is the number.
    case hashedText
  }

  /// The text of the object. Its first value is the object itself.
  public let tree: SyntaxTree
  /// The table whose object this is.
  public let root: TableID
  private let recording: ObjectRecording

  init(tree: SyntaxTree, root: TableID, recording: ObjectRecording) {
    self.tree = tree
    self.root = root
    self.recording = recording
  }

  /// Returns the member of the enclosing table or struct that a value of `tree.json` is for. Nil if it is for none: it
  /// is the object itself, an element of a list, `null` in place of an object, `$schema`, or of an unknown field.
  ///
  /// Members count from 0: in a struct in the order of the text, in a table in the order of the ids, where the type of
  /// a union stands before the union.
  public func member(of node: Int) -> Int? {
    let member = recording.members[node]
    return member < 0 ? nil : Int(member)
  }

  /// Returns the meaning of a value of `tree.json` that stands for a number. Nil for a value of another type.
  public func value(of node: Int) -> Value? { recording.values[node] }
}

/// The findings of a check about the values of an object, by their index in the tree.
struct ObjectRecording: Sendable {
  var members: [Int32]
  private(set) var values: [ResolvedObject.Value?]

  init(count: Int) {
    members = Array(repeating: -1, count: count)
    values = Array(repeating: nil, count: count)
  }

  mutating func note(_ value: ResolvedObject.Value, of node: Int) {
    values[node] = value
  }
}
