import BufferJobs
import CppReader
import FuzzDriver
import FuzzSupport

@main
struct FuzzBuffers {
  static func main() {
    let library = { @Sendable (bytes: [UInt8]) -> UInt64? in
      bytes.withUnsafeBufferPointer { bytes in
        cppReaderVerifies(bytes.baseAddress, bytes.count) ? cppReaderDigest(bytes.baseAddress) : nil
      }
    }
    fuzz([
      "wire-format": { { (bytes) throws(Mistake) in try WireFormatJob.run(bytes, comparedWith: library) } },
      "editors": { EditorsJob.run },
    ])
  }
}
