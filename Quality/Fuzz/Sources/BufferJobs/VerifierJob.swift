import FlatBuffersCore
import FuzzSupport

/// Any bytes to the verifier alone: many more inputs in the time than with all that `WireFormatJob` reads.
public enum VerifierJob {
  /// Verifies `bytes`, as a copy and where they are.
  ///
  /// - Parameter library: whether another library accepts bytes.
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8], comparedWith library: (([UInt8]) -> Bool)? = nil) throws(Mistake) {
    let isValid = WireFormatJob.isValid(bytes)
    let isValidInPlace = bytes.withUnsafeBytes { ByteBuffer(unsafeBorrowing: $0).isValid(as: EverythingView.self) }
    guard isValid == isValidInPlace else { throw Mistake("is verified differently in place") }
    if let library { try WireFormatJob.compare(bytes, isValid: isValid, isAccepted: library(bytes)) }
  }
}
