/// A row that is to be written. It does not own its bytes.
struct EncodedRow {
  let rowid: Int64
  let bytes: UnsafeRawBufferPointer
}
