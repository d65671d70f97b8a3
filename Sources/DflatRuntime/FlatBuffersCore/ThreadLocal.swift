#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A pointer of which every thread has its own, nil at first. Who owns it knows what it points to.
///
/// It is not generic: for a generic type of another module, it takes many times as long to find out about the type as to get the
/// pointer. It is never freed, so keep it in a `static let`.
package struct ThreadLocal: Sendable {
  private let key: pthread_key_t

  #if canImport(Darwin)
    package typealias Destructor = @convention(c) (UnsafeMutableRawPointer) -> Void
  #else
    package typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void
  #endif

  /// - Parameter destructor: is called with the pointer of a thread that ends, unless that is nil.
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

  /// An object of the calling thread. It is not retained: whoever sets it keeps it alive until it is set back.
  package var object: AnyObject? {
    get { unmanagedObject?.takeUnretainedValue() }
    nonmutating set { pointer = newValue.map { Unmanaged.passUnretained($0).toOpaque() } }
  }

  /// An object of the calling thread, for a caller that uses it only while it is sure to be kept alive.
  package var unmanagedObject: Unmanaged<AnyObject>? { pointer.map { .fromOpaque($0) } }

  /// The calling thread's own object, which `make` makes at first, and which lives as long as the thread.
  ///
  /// Nothing else may use the pointer, which must have been made with the destructor `releasingObject`.
  package func ownedObject<Object: AnyObject>(_ make: () -> Object) -> Object {
    if let pointer { return Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue() }
    let object = make()
    pointer = Unmanaged.passRetained(object).toOpaque()
    return object
  }

  /// Releases the object that the pointer refers to: see `ownedObject(_:)`.
  package static let releasingObject: Destructor = { pointer in
    let pointer: UnsafeMutableRawPointer? = pointer
    if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
  }

  /// Deallocates the memory that the pointer refers to.
  package static let deallocating: Destructor = { pointer in
    let pointer: UnsafeMutableRawPointer? = pointer
    pointer?.deallocate()
  }
}
