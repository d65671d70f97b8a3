/// The nesting depth of the objects being written. Generated code counts it for recursive tables only: other tables
/// cannot be nested deeper than the schema.
extension FlatBufferBuilder {
  /// The maximum nesting depth of tables: the default limit of the verifier, here and in the C++ library.
  public static var maximumDepth: Int { 64 }

  /// Increments the nesting depth. Call it before writing the objects that a nested object refers to.
  ///
  /// - Returns: false if the depth would exceed ``maximumDepth``. `finish` will then throw
  ///   ``FlatBufferError/tooDeep(position:limit:)``; use ``dropped`` as the object's offset.
  public mutating func descend() -> Bool {
    guard state.pointee.depth < Self.maximumDepth else {
      fail(.tooDeep(position: count, limit: Self.maximumDepth))
      return false
    }
    state.pointee.depth += 1
    return true
  }

  /// Decrements the nesting depth. Call it after the nested object has been written.
  public mutating func ascend() {
    state.pointee.depth -= 1
  }
}
