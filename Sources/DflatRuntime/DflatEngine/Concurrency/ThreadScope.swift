import Dflat
import FlatBuffersCore

/// A scope that a thread enters until a closure returns, such as a snapshot of a workspace. It has an owner. Scopes of
/// the same owner or of different owners may be nested.
///
/// Not generic: for a generic type of another module, the look-up of the type's metadata takes many times as long as
/// the look-up of the scope.
package final class ThreadScope {
  private let owner: AnyObject
  /// An object that the owner attaches to the scope; nil if it needs none.
  package let content: AnyObject?
  /// The scope that encloses this one; nil if there is none.
  private var outer: ThreadScope?

  package init(of owner: AnyObject, holding content: AnyObject? = nil) {
    self.owner = owner
    self.content = content
  }

  private static let slot = ThreadLocal()

  private static var innermost: ThreadScope? {
    // Only `run(_:)` puts anything into the slot.
    slot.object.map { unsafeDowncast($0, to: ThreadScope.self) }
  }

  /// Returns the innermost scope of an owner that the calling thread is in; nil if it is in none.
  package static func innermost(of owner: AnyObject) -> ThreadScope? {
    var scope = innermost
    while let each = scope {
      if each.owner === owner { return each }
      scope = each.outer
    }
    return nil
  }

  /// Calls `body` while the calling thread is in this scope. May be called once for each scope.
  package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    outer = ThreadScope.innermost
    ThreadScope.slot.object = self
    defer { ThreadScope.slot.object = outer }
    // The slot does not retain the scope.
    return try withExtendedLifetime(self) { try body() }
  }
}
