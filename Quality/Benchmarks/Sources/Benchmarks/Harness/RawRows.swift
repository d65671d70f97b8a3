import Dflat
import FlatBuffersCore
import RawSQLite

/// Rows for the C side, which borrows their bytes: they are copied into memory that stays where it is.
final class RawRows {
  private(set) var rows: [raw_row] = []
  private var memory: [UnsafeMutableBufferPointer<UInt8>] = []

  init<Object: FlatBuffersEncodable>(
    _ objects: [Object], title: (Object) -> String, priority: (Object) -> Int32
  ) throws {
    for object in objects {
      var builder = FlatBufferBuilder()
      let root = object.to(flatBufferBuilder: &builder)
      try builder.finish(root)
      let bytes = builder.withFinishedBytes { copy($0) }
      let title = Array(title(object).utf8).withUnsafeBytes { copy($0) }
      rows.append(
        raw_row(
          title: UnsafeRawPointer(title.baseAddress)?.assumingMemoryBound(to: CChar.self),
          title_length: Int32(title.count), priority: priority(object), bytes: UnsafePointer(bytes.baseAddress),
          byte_count: Int32(bytes.count)))
    }
  }

  deinit {
    for bytes in memory { bytes.deallocate() }
  }

  private func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableBufferPointer<UInt8> {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    memory.append(copy)
    return copy
  }
}
