/// How deep objects are nested, counted where nothing else bounds it: generated code for tables that can hold others of
/// their kind.
extension FlatBufferBuilder {
  /// How deep tables may be nested: no deeper than a verifier accepts where it is not told otherwise, here as in C++.
  public static var maximumDepth: Int { 64 }

  /// Goes one object down, before what the object refers to is written. False when that is too deep: then `finish` will
  /// throw ``FlatBufferError/tooDeep(position:limit:)``, and ``dropped`` stands for the object.
  public mutating func descend() -> Bool {
    guard depth < Self.maximumDepth else {
      fail(.tooDeep(position: count, limit: Self.maximumDepth))
      return false
    }
    depth += 1
    return true
  }

  /// Goes one object up, after the object has been written.
  public mutating func ascend() {
    depth -= 1
  }
}
