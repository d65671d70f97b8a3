import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Forks, runs `body` in the child, and gives what it returns there, below 100.
///
/// - Returns: 100 if there is no child, 101 if it has ended by a signal, 102 if it was killed since it hung.
package func forkedChildReturns(_ body: () -> Int32) -> Int32 {
  // Swift does not let `fork` be called by its name.
  guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork") else { return 100 }
  // The function takes nothing and returns a process identifier.
  let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
  let child = fork()
  if child == 0 { _exit(body()) }
  guard child > 0 else { return 100 }
  // The child cannot be left to `alarm`: threads of queues and tasks block its signal, and the child does so, too.
  var status: Int32 = 0
  let end = Date() + 120
  while waitpid(child, &status, WNOHANG) == 0 {
    guard Date() < end else {
      kill(child, SIGKILL)
      waitpid(child, &status, 0)
      return 102
    }
    usleep(1_000)
  }
  return status & 0x7F == 0 ? (status >> 8) & 0xFF : 101
}
