/// Runs `body`, and releases what it has left to be released later, where there is such a thing.
func releasingTemporaries(_ body: () -> Void) {
  #if canImport(ObjectiveC)
    autoreleasepool { body() }
  #else
    body()
  #endif
}
