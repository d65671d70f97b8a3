/// Calls `body` with a list of C strings, which ends with NULL.
func withCStringList<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws -> Result
) rethrows -> Result {
  // One behind the other, each with its NUL.
  let characters = strings.flatMap { $0.utf8CString }
  return try characters.withUnsafeBufferPointer { characters in
    var pointers: [UnsafePointer<CChar>?] = []
    var start = 0
    for string in strings {
      pointers.append(characters.baseAddress.map { $0 + start })
      start += string.utf8.count + 1
    }
    pointers.append(nil)
    return try pointers.withUnsafeBufferPointer { pointers in
      // Not nil: the list has at least its end.
      try body(pointers.baseAddress.unsafelyUnwrapped)
    }
  }
}
