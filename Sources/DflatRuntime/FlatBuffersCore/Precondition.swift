/// Stops the program with `message` unless `condition` holds, also in release builds, where Swift's function of this name,
/// which this one hides in the module, would stop it without a word.
@inlinable @inline(__always)
func precondition(
  _ condition: @autoclosure () -> Bool, _ message: StaticString, file: StaticString = #fileID, line: UInt = #line
) {
  if !condition() { stop(message, file: file, line: line) }
}

/// Not inline, so that a check costs a comparison where it holds.
@usableFromInline @inline(never)
func stop(_ message: StaticString, file: StaticString, line: UInt) -> Never {
  // A mistake of the program, for which there is no other way to go on.
  fatalError("\(message)", file: file, line: line)
}
