import RawSQLite

/// What the C library does with the memory that a process frees.
///
/// The choice cannot be undone in a process, so each policy is measured in a process of its own.
enum MemoryPolicy: String, CaseIterable, Codable {
  /// The process keeps it, so that no side pays for getting it from the system again.
  case kept
  /// The process returns it to the system when it is a lot, as apps do.
  case released

  /// The policies that differ on this system.
  static var available: [MemoryPolicy] {
    #if canImport(Glibc)
      allCases
    #else
      [.released]
    #endif
  }

  var option: String {
    switch self {
    case .kept: "keep-memory"
    case .released: "release-memory"
    }
  }

  /// Stands behind the names of the rows.
  var label: String { "memory \(rawValue)" }

  func apply() {
    if self == .kept { raw_keep_memory() }
  }
}
