#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How much may still be read of a FlatBuffer of unknown origin.
///
/// Few bytes can be made to lead to much: tables that share others, strings that overlap. Whoever follows all of them
/// would never be done, or run out of memory. A table that is read with a budget pays for every table, string and vector;
/// when the budget is used up, the rest reads as absent.
@usableFromInline
package enum ReadingBudget {
  /// Added to the depth of windows that are read with a budget. Being deeper than tables may be nested, they fail the
  /// check for that, which costs other windows nothing more; only then they are told apart.
  @inlinable static var mark: UInt16 { 0x8000 }

  /// What a table costs. Strings and vectors cost as much as they have bytes.
  private static var tableCost: Int { 8 }

  /// Calls `body` with `table`, of which no more may be read than `budget` says. The views in it must not be used
  /// afterwards, nor on another thread.
  ///
  /// - Returns: what `body` returns; nil when it wanted to read more.
  package static func read<Result>(
    _ table: FlatBufferTable, budget: Int, _ body: (FlatBufferTable) throws -> Result
  ) rethrows -> Result? {
    var rest = budget
    return try withUnsafeMutablePointer(to: &rest) { rest in
      let outer = pthread_getspecific(key)
      pthread_setspecific(key, rest)
      defer { pthread_setspecific(key, outer) }
      let result = try body(table.marked)
      return rest.pointee >= 0 ? result : nil
    }
  }

  /// Whether the table in a window of `depth`, which is too much without a mark, may be read.
  @usableFromInline @inline(never)
  static func allowsTable(depth: UInt16) -> Bool {
    depth >= mark && Int(depth & ~mark) < FlatBufferWindow.maximumDepth && pays(tableCost)
  }

  /// Whether something that costs so much may be read.
  @usableFromInline @inline(never)
  static func pays(_ cost: Int) -> Bool {
    // Without a budget, a marked view has been kept for longer than it is good.
    guard let rest = pthread_getspecific(key)?.assumingMemoryBound(to: Int.self) else { return false }
    // Neither can be so large that this overflows: what is inside a buffer has less than 2 GiB, and nothing is paid from
    // what is used up.
    guard rest.pointee >= 0 else { return false }
    rest.pointee -= cost
    return rest.pointee >= 0
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key, nil)
    precondition(failure == 0, "The process has used up its thread-specific keys.")
    return key
  }()
}

extension FlatBufferTable {
  fileprivate var marked: FlatBufferTable {
    FlatBufferTable(
      window: FlatBufferWindow(
        base: window.base, owner: window.owner, size: window.size, depth: ReadingBudget.mark),
      start: start, vtable: vtable, vtableSize: vtableSize)
  }
}
