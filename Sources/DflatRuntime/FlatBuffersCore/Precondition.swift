/// Stops the program with `message` unless `condition` holds, in release builds too. It shadows Swift's function of
/// this name in the module, which prints no message in release builds.
///
/// Inlined for the benchmark rows "read every field, strings by their bytes" and "build, builder reused": each element
/// and each field is preceded by a condition.
@inlinable @inline(__always)
func precondition(
  _ condition: @autoclosure () -> Bool, _ message: StaticString, file: StaticString = #fileID, line: UInt = #line
) {
  if !condition() { stop(message, file: file, line: line) }
}

/// Stops the program with `message`. It is not inlined, so that a condition that holds costs one comparison.
@usableFromInline @inline(never)
func stop(_ message: StaticString, file: StaticString, line: UInt) -> Never {
  // A programming error: there is no caller that could handle it.
  fatalError("\(message)", file: file, line: line)
}

/// Stops the program with `message`, which is printed in release builds, too: for the modules that build on this one.
@usableFromInline @inline(never)
package func stopProgram(_ message: String) -> Never {
  // A programming error: there is no caller that could handle it. The file says nothing to a user.
  fatalError(message, file: "dflat", line: 0)
}
