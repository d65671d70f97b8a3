import Dflat

/// A workspace whose rows can be copied as bytes, whatever version of their schema has written them.
package protocol RowSource: Workspace {
  /// Calls `body` with the rows of one state of the store, on the calling thread.
  ///
  /// - Throws: `StoreError.shutDown` after a shutdown; the store's error if it cannot be read; or what `body` throws.
  func withRows<Result>(_ body: (any StoredRows) throws -> Result) throws -> Result
}

/// The rows of one state of a store.
package protocol StoredRows {
  /// Returns the number of rows of a type; 0 if it has no table.
  func count(of record: RecordDescription) throws -> Int

  /// Calls `body` with the number and the bytes of each row of a type, in ascending order of the numbers. The bytes are
  /// valid until `body` returns.
  func forEach(of record: RecordDescription, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws
}
