import Dflat
import FlatBuffersCore

/// Something that a thread is in until a closure returns, such as a snapshot of a workspace. It has an owner, and may be begun
/// inside of others, of whatever owner.
///
/// Not generic: for a generic type of another module, it takes many times as long to find out about the type as to look whether
/// the thread is in anything.
package final class ThreadScope {
  private let owner: AnyObject
  /// What the owner has for the thread meanwhile.
  package let content: AnyObject?
  /// The scope inside of which this one was begun.
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

  /// The innermost scope of an owner that the calling thread is in.
  package static func innermost(of owner: AnyObject) -> ThreadScope? {
    var scope = innermost
    while let each = scope {
      if each.owner === owner { return each }
      scope = each.outer
    }
    return nil
  }

  /// Calls `body` inside of this scope, once.
  package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    outer = ThreadScope.innermost
    ThreadScope.slot.object = self
    defer { ThreadScope.slot.object = outer }
    // The slot keeps no reference.
    return try withExtendedLifetime(self) { try body() }
  }
}
