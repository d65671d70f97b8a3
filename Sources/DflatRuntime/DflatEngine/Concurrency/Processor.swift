#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A processor of the machine.
package struct Processor: Equatable, Sendable {
  private let number: Int32

  /// The processor that the calling thread runs on; nil where the system does not say.
  package static var current: Processor? {
    guard let number = AffinityFunctions.shared?.currentProcessor(), number >= 0 else { return nil }
    return Processor(number: number)
  }

  /// Has the calling thread go on on another processor than this one, if it may use others. It may still use all that it might use
  /// before, and the system moves it as it likes from then on.
  package func leave() {
    guard let functions = AffinityFunctions.shared else { return }
    // A bit for each processor. The system refuses to fill in fewer than it has.
    var allowed = [UInt8](repeating: 0, count: 1024)
    guard functions.getAffinity(0, allowed.count, &allowed) == 0 else { return }
    var others = allowed
    others[Int(number) / 8] &= ~(1 << UInt8(number % 8))
    guard others.contains(where: { $0 != 0 }), functions.setAffinity(0, others.count, &others) == 0 else { return }
    _ = functions.setAffinity(0, allowed.count, &allowed)
  }
}

/// The functions by which Linux tells and changes where threads run. https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
///
/// The C library declares them only for programs that ask for its extensions, which Swift does not: so they are found by name.
private struct AffinityFunctions: Sendable {
  typealias Current = @convention(c) () -> Int32
  typealias Affinity = @convention(c) (_ thread: Int32, _ size: Int, _ mask: UnsafeMutablePointer<UInt8>) -> Int32

  let currentProcessor: Current
  let getAffinity: Affinity
  let setAffinity: Affinity

  /// Nil where the system has none.
  static let shared = AffinityFunctions()

  private init?() {
    #if os(Linux)
      guard let current = dlsym(nil, "sched_getcpu"), let get = dlsym(nil, "sched_getaffinity"),
        let set = dlsym(nil, "sched_setaffinity")
      else { return nil }
      // The manual has it as `int sched_getcpu(void)`, which is `Current`.
      currentProcessor = unsafeBitCast(current, to: Current.self)
      // `int sched_getaffinity(pid_t, size_t, cpu_set_t *)` is `Affinity`: `pid_t` is an `int`, and a set is bytes of any alignment.
      getAffinity = unsafeBitCast(get, to: Affinity.self)
      // `int sched_setaffinity(pid_t, size_t, const cpu_set_t *)` is `Affinity`, too, and only reads the set.
      setAffinity = unsafeBitCast(set, to: Affinity.self)
    #else
      return nil
    #endif
  }
}
