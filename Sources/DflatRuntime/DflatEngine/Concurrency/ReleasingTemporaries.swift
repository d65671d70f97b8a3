#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// Runs `body` in an autorelease pool where Objective-C has one; elsewhere it only runs `body`.
func releasingTemporaries(_ body: () -> Void) {
  #if canImport(ObjectiveC)
    autoreleasepool { body() }
  #else
    body()
  #endif
}
