#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A thread-local variable: each thread has a pointer of its own, nil at first. Its owner decides what the pointer refers to.
///
/// It is not generic: looking up the metadata of another module's generic type takes many times as long as getting the pointer. The key
/// is never deleted, so keep it in a `static let`.
package struct ThreadLocal: Sendable {
  private let key: pthread_key_t

  #if canImport(Darwin)
    package typealias Destructor = @convention(c) (UnsafeMutableRawPointer) -> Void
  #else
    package typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void
  #endif

  /// Creates a variable.
  /// - Parameter destructor: is called with a thread's pointer when the thread ends, unless the pointer is nil.
  package init(destructor: Destructor? = nil) {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key, destructor)
    precondition(failure == 0, "No thread-specific key is left in this process.")
    self.key = key
  }

  /// The calling thread's pointer.
  package var pointer: UnsafeMutableRawPointer? {
    get { pthread_getspecific(key) }
    nonmutating set {
      // This fails only if memory is exhausted, for which Swift traps everywhere.
      let failure = pthread_setspecific(key, newValue)
      precondition(failure == 0, "There is no memory for a thread-specific value.")
    }
  }

  /// Bits of the calling thread, kept in the pointer itself; all 0 at first.
  package var bits: UInt {
    get { UInt(bitPattern: pointer) }
    nonmutating set { pointer = UnsafeMutableRawPointer(bitPattern: newValue) }
  }

  // MARK: Objects

  /// The calling thread's pointer as an object, which is not retained; nil if none was set. The caller that sets it
  /// keeps the object alive until it sets another one, or nil.
  package var object: AnyObject? {
    get { unmanagedObject?.takeUnretainedValue() }
    nonmutating set { pointer = newValue.map { Unmanaged.passUnretained($0).toOpaque() } }
  }

  /// The calling thread's object without a retain; nil if none was set. Use it only while something keeps the object
  /// alive.
  package var unmanagedObject: Unmanaged<AnyObject>? { pointer.map { .fromOpaque($0) } }

  /// Returns the calling thread's own object, which `make` makes at first, and which lives as long as the thread.
  ///
  /// Nothing else may use the pointer, which must have been made with the destructor `releasingObject`.
  package func ownedObject<Object: AnyObject>(_ make: () -> Object) -> Object {
    if let pointer { return Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue() }
    let object = make()
    pointer = Unmanaged.passRetained(object).toOpaque()
    return object
  }

  /// A destructor for the pointer that `ownedObject(_:)` sets: releases the object when the thread ends.
  package static let releasingObject: Destructor = { pointer in
    let pointer: UnsafeMutableRawPointer? = pointer
    if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
  }

  /// A destructor that deallocates the memory that the pointer refers to.
  package static let deallocating: Destructor = { pointer in
    let pointer: UnsafeMutableRawPointer? = pointer
    pointer?.deallocate()
  }
}
