import BufferJobs
import CppReader
import FuzzDriver
import FuzzSupport

@main
struct FuzzBuffers {
  static func main() {
    let verifies = { @Sendable (bytes: [UInt8]) -> Bool in
      bytes.withUnsafeBufferPointer { cppReaderVerifies($0.baseAddress, $0.count) }
    }
    let digest = { @Sendable (bytes: [UInt8]) -> UInt64? in
      bytes.withUnsafeBufferPointer { bytes in
        cppReaderVerifies(bytes.baseAddress, bytes.count) ? cppReaderDigest(bytes.baseAddress) : nil
      }
    }
    fuzz([
      "verifier": { { (bytes) throws(Mistake) in try VerifierJob.run(bytes, comparedWith: verifies) } },
      "wire-format": { { (bytes) throws(Mistake) in try WireFormatJob.run(bytes, comparedWith: digest) } },
      "editors": { EditorsJob.run },
    ])
  }
}
