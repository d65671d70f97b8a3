#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
import Dispatch
import FlatBuffersCore

// Usable from inlined code: other modules cannot inline a method whose type is not usable from inlined code.
/// A value and the lock that guards it. Threads can wait until the value satisfies a condition.
///
/// The standard library's `Mutex` needs newer systems than this package, and has no condition to wait for.
@usableFromInline
package final class Guarded<Value>: @unchecked Sendable {
  // Unchecked because the mutex guards the value. Exclusivity is unchecked because the mutex also excludes other
  // accesses, and a check of each access would cost as much as the lock. For this, and for what is inlined, see the
  // benchmark row "read 40,000 Int, known": each read takes one lock.
  @exclusivity(unchecked) @usableFromInline internal var value: Value
  // Behind pointers, since a mutex must not move.
  @usableFromInline internal let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline internal let condition: UnsafeMutablePointer<pthread_cond_t>
  @usableFromInline internal let rank: LockRank

  package init(_ value: Value, rank: LockRank) {
    self.value = value
    self.rank = rank
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    let failure = initializeMutex(mutex) | initializeCondition(condition)
    // The system has no memory. No caller could go on without the lock, so the program stops, as it does where Swift
    // cannot allocate an object.
    if failure != 0 { stopProgram("The system has no memory left for a lock.") }
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Calls `body` with the value while it holds the lock. `body` must not call back into this object.
  @inlinable @inline(__always)
  package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    lock()
    defer { unlock() }
    return try body(&value)
  }

  /// Calls `body` with the value until `body` returns a result. After each nil, waits for another thread's
  /// `notifyAll()`.
  @inlinable
  package func wait<Result>(for body: (inout Value) -> Result?) -> Result {
    lock()
    defer { unlock() }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Calls `body` with the value until it returns something, for at most `seconds`. It calls `body` again after each
  /// `notifyAll()`.
  ///
  /// - Returns: nil if `body` still returns nil when the time is over.
  @inlinable
  package func wait<Result>(atMost seconds: Double, for body: (inout Value) -> Result?) -> Result? {
    var deadline = timespec()
    // Not the time of day, which somebody may set back.
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    // At most 3e9 seconds, a century: in effect for ever, and the sum cannot overflow.
    let nanoseconds = Int(deadline.tv_nsec) + Int(min(max(seconds, 0), 3e9).truncatingRemainder(dividingBy: 1) * 1e9)
    deadline.tv_sec += Int(min(max(seconds, 0), 3e9)) + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    lock()
    defer { unlock() }
    while true {
      if let result = body(&value) { return result }
      if !sleep(until: deadline) { return body(&value) }
    }
  }

  /// Sleeps until another thread calls `notifyAll()`. The calling thread holds the lock, which is released meanwhile.
  ///
  /// - Parameter deadline: a time of the monotonic clock.
  /// - Returns: false if the deadline has passed.
  @usableFromInline
  internal func sleep(until deadline: timespec) -> Bool {
    var time = deadline
    #if canImport(Darwin)
      // A condition of Darwin measures deadlines only by the time of day, but it can also wait for a time span.
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      time.tv_sec -= now.tv_sec
      time.tv_nsec -= now.tv_nsec
      if time.tv_nsec < 0 {
        time.tv_sec -= 1
        time.tv_nsec += 1_000_000_000
      }
      guard time.tv_sec >= 0 else { return false }
      return pthread_cond_timedwait_relative_np(condition, mutex, &time) != ETIMEDOUT
    #else
      return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    #endif
  }

  /// Wakes all waiting threads, so that they check the value again. The caller may hold the lock, or not.
  package func notifyAll() { pthread_cond_broadcast(condition) }

  @inlinable @inline(__always)
  internal func lock() {
    rank.willLock()
    pthread_mutex_lock(mutex)
  }

  @inlinable @inline(__always)
  internal func unlock() {
    pthread_mutex_unlock(mutex)
    rank.didUnlock()
  }
}

/// Initializes a mutex that is not recursive. Most critical sections take less than a microsecond. Where the system
/// supports it, a waiting thread therefore spins for about that long before it sleeps.
private func initializeMutex(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 {
  #if canImport(Glibc)
    var attributes = pthread_mutexattr_t()
    let failure =
      pthread_mutexattr_init(&attributes)
      | pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
    defer { pthread_mutexattr_destroy(&attributes) }
    return failure != 0 ? failure : pthread_mutex_init(mutex, &attributes)
  #else
    return pthread_mutex_init(mutex, nil)
  #endif
}

/// Initializes a condition whose deadlines are times of the monotonic clock, where the system has such conditions.
private func initializeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 {
  #if canImport(Darwin)
    return pthread_cond_init(condition, nil)
  #else
    var attributes = pthread_condattr_t()
    let failure = pthread_condattr_init(&attributes) | pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    defer { pthread_condattr_destroy(&attributes) }
    return failure != 0 ? failure : pthread_cond_init(condition, &attributes)
  #endif
}
