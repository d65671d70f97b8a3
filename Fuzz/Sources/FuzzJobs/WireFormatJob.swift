import FlatBuffersCore

/// Any bytes as a FlatBuffer: verified, and read by every accessor whatever the verifier said.
public enum WireFormatJob {
  /// Does that with `bytes`.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    let buffer = ByteBuffer(bytes)
    let isValid = buffer.isValid(as: EverythingView.self)
    let owned = Digest(buffer)
    let borrowed = bytes.withUnsafeBytes { Digest(ByteBuffer(unsafeBorrowing: $0)) }
    guard owned.hash == borrowed.hash, owned.unreadable == borrowed.unreadable else {
      throw Mistake("reads differently the second time")
    }
    if isValid, owned.unreadable > 0 { throw Mistake("verified, yet \(owned.unreadable) fields are unreadable") }
    // As everywhere, in smaller steps: a reader of one kind meets the root of another.
    if let leaf = LeafView(root: buffer, sizePrefixed: true), buffer.isValid(as: LeafView.self, sizePrefixed: true),
      leaf.name == nil, leaf._table.hasField(at: 4)
    {
      throw Mistake("a verified string is unreadable")
    }
  }
}
