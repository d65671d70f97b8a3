import FlatBuffersCore
import FuzzSupport

/// Any bytes as a FlatBuffer: verified, and read by every accessor whatever the verifier said.
public enum WireFormatJob {
  /// Does that with `bytes`.
  ///
  /// - Parameter library: what another library reads in bytes, as `digest(of:)` sums it up; nil if it refuses them.
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8], comparedWith library: (([UInt8]) -> UInt64?)? = nil) throws(Mistake) {
    let buffer = ByteBuffer(bytes)
    let isValid = buffer.isValid(as: EverythingView.self)
    let owned = Digest(buffer)
    let borrowed = bytes.withUnsafeBytes { Digest(ByteBuffer(unsafeBorrowing: $0)) }
    guard owned.hash == borrowed.hash, owned.unreadable == borrowed.unreadable else {
      throw Mistake("reads differently the second time")
    }
    if isValid, owned.unreadable > 0 { throw Mistake("verified, yet \(owned.unreadable) fields are unreadable") }
    if let library {
      let digest = library(bytes)
      try compare(bytes, isValid: isValid, isAccepted: digest != nil)
      if let digest, digest != owned.hash { throw Mistake("reads differently in the other library") }
    }
    // As everywhere, in smaller steps: a reader of one kind meets the root of another.
    if let leaf = LeafView(root: buffer, sizePrefixed: true), buffer.isValid(as: LeafView.self, sizePrefixed: true),
      leaf.name == nil, leaf._table.hasField(at: 4)
    {
      throw Mistake("a verified string is unreadable")
    }
  }

  /// Holds that another library accepts `bytes` if and only if they are valid here; but for one known difference.
  static func compare(_ bytes: [UInt8], isValid: Bool, isAccepted: Bool) throws(Mistake) {
    guard isAccepted == isValid || (isValid && lacksStruct(ByteBuffer(bytes))) else {
      throw Mistake(isValid ? "accepted here, and refused by the other library" : "refused here, and accepted there")
    }
  }

  /// Whether a valid buffer has a union with the type of a struct and no value. It reads as no union. The C++ library accepts
  /// that of every other type.
  private static func lacksStruct(_ buffer: ByteBuffer) -> Bool {
    guard let table = EverythingView(root: buffer)?._table else { return false }
    return table.scalar(at: 70, default: 0 as UInt8) == 3 && !table.hasField(at: 72)
  }

  /// Whether the verifier accepts `bytes`.
  public static func isValid(_ bytes: [UInt8]) -> Bool {
    ByteBuffer(bytes).isValid(as: EverythingView.self)
  }

  /// What `bytes` read as, as one number; nil if they are not valid.
  public static func digest(of bytes: [UInt8]) -> UInt64? {
    isValid(bytes) ? Digest(ByteBuffer(bytes)).hash : nil
  }
}
