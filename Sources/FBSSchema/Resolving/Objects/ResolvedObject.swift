import FBSParser

/// A JSON object that fits its table, with the meaning of its names and values: what an encoder needs besides the text.
public struct ResolvedObject: Sendable {
  /// What a value that is not an object, a list or a string means.
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
  /// The table that it is an object of.
  public let root: TableID
  private let recording: ObjectRecording

  init(tree: SyntaxTree, root: TableID, recording: ObjectRecording) {
    self.tree = tree
    self.root = root
    self.recording = recording
  }

  /// The member of the table or struct around it that a value of `tree.json` is for. Nothing if it is for none: it is the
  /// object itself, an element of a list, `null` in place of an object, `$schema`, or of an unknown field.
  ///
  /// Members count from 0: in a struct in the order of the text, in a table in that of the ids, where the type of a union
  /// stands before the union.
  public func member(of node: Int) -> Int? {
    let member = recording.members[node]
    return member < 0 ? nil : Int(member)
  }

  /// What a value of `tree.json` means that stands for a number. Nothing if it is of another type.
  public func value(of node: Int) -> Value? { recording.values[node] }
}

/// What checking an object has found out about its values, by their place in the tree.
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
