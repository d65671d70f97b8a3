import Dflat
import FlatBuffersCore
import Foundation
import FuzzSupport
import Golden_contents
import Golden_post
import Golden_recursive
import Golden_scalars
import Golden_structs

/// Any bytes as an object of the data model. The last byte says of which class.
public enum DecodeJob {
  /// Decodes `bytes` and encodes what that gives.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    guard let last = bytes.last else { return }
    let data = Data(bytes.dropLast())
    switch last % 5 {
    case 0: try decode(Page.self, data)
    case 1: try decode(Post.self, data)
    case 2: try decode(Outline.self, data)
    case 3: try decode(Body.self, data)
    default: try decode(Sample.self, data)
    }
  }

  private static func decode<Object: FlatBuffersCodable>(_: Object.Type, _ data: Data) throws(Mistake) {
    let isValid = Object.verify(byteBuffer: ByteBuffer(Array(data)))
    guard ((try? Object(verifying: data)) != nil) == isValid else {
      throw Mistake("`init(verifying:)` and `verify` disagree")
    }
    let object = Object.from(data: data)
    // Damaged bytes may be an object that nobody could encode, such as one that is too deep.
    guard let encoded = try? object.toData() else {
      if isValid { throw Mistake("a valid object is not encoded") }
      return
    }
    // What is damaged reads as absent, and a required FlatBuffer in a field that has no bytes is not valid.
    if isValid, !Object.verify(byteBuffer: ByteBuffer(Array(encoded))) {
      throw Mistake("a valid object is encoded to bytes that are not valid")
    }
    guard (try? Object.from(data: encoded).toData()) == encoded else {
      throw Mistake("what is encoded is decoded to another object")
    }
  }
}
