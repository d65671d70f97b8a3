/// Calls `body` with a NULL-terminated list of C strings.
func withCStringList<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws -> Result
) rethrows -> Result {
  // All strings in one array, each with its NUL.
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
      // Not nil: the list contains at least its terminator.
      try body(pointers.baseAddress.unsafelyUnwrapped)
    }
  }
}
