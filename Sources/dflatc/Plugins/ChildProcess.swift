import Foundation

#if canImport(Darwin)
  import Darwin
#endif

/// Runs a program with an input, reads its standard output, and shows its standard error.
///
/// Input, output and errors are transferred at the same time, so that neither side waits for the other, whichever the
/// program does first. The program leads a process group of its own: if it must end, all processes that it has started
/// end as well. A signal that ends us from the terminal ends the group first.
///
/// Why not swift-subprocess 1.0.2: it needs Swift 6.2, also in packages that depend on this one. It stops reading when the program
/// ends, so that what the program's children still write is lost, and they live on. The time limit, the end of the group and the
/// signals would stay here, and `dflatc` would be 13% larger.
struct ChildProcess {
  /// The reason why a program has failed.
  enum Failure: Error {
    case notStarted(errno: Int32)
    case exit(code: Int32)
    case signal(Int32)
    case tooSlow(seconds: Int)
    case tooMuch(bytes: Int)
    case broken(errno: Int32)
  }

  let path: String
  let arguments: [String]
  /// The time limit in seconds.
  let timeout: Int
  /// The most bytes of output that are read.
  var maximumOutput = 256 << 20

  /// Runs the program to its end, and returns its output.
  func run(input: [UInt8]) throws(Failure) -> [UInt8] {
    // Writing to a program that has ended must not end this process.
    signal(SIGPIPE, SIG_IGN)
    let pipes = try Self.pipes(count: 3)
    let (stdin, stdout, stderr) = (pipes[0], pipes[1], pipes[2])
    let ending = GroupEnding()
    defer { ending.cancel() }
    let child: pid_t
    do throws(Failure) {
      child = try spawn(stdin: stdin.read, stdout: stdout.write, stderr: stderr.write, mask: ending.maskOutside)
    } catch {
      for pipe in pipes { pipe.close() }
      throw error
    }
    close(stdin.read)
    close(stdout.write)
    close(stderr.write)
    var errors = RelayedErrors(reading: stderr.read, of: path)
    defer { errors.finish() }
    ending.begin(with: child)
    let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(timeout) * 1_000_000_000
    let output: [UInt8]
    let status: Int32
    do throws(Failure) {
      output = try exchange(input, to: stdin.write, from: stdout.read, &errors, until: deadline)
      status = try wait(for: child, &errors, until: deadline)
    } catch {
      // Ends the group: the program may wait for others that it has started.
      kill(-child, SIGKILL)
      _ = Self.wait(for: child)
      throw error
    }
    if status & 0x7F != 0 { throw .signal(status & 0x7F) }
    let code = status >> 8 & 0xFF
    if code != 0 { throw .exit(code: code) }
    return output
  }

  private func spawn(stdin: Int32, stdout: Int32, stderr: Int32, mask: sigset_t) throws(Failure) -> pid_t {
    #if canImport(Darwin)
      var actions: Darwin.posix_spawn_file_actions_t?
      var attributes: Darwin.posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    // This process ignores the signals of a broken pipe and of a file that is too large. The program must not inherit
    // that.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    var mask = mask
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, stdin, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, stdout, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, stderr, STDERR_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    defer { words.forEach { free($0) } }
    words.append(nil)
    var child: pid_t = 0
    let failure = posix_spawn(&child, path, &actions, &attributes, words, environ)
    guard failure == 0 else { throw .notStarted(errno: failure) }
    return child
  }

  /// Writes all input, reads all output and shows errors, in any order in which that is possible. Closes the ends of
  /// the pipes for input and output.
  private func exchange(
    _ input: [UInt8], to stdin: Int32, from stdout: Int32, _ errors: inout RelayedErrors, until deadline: UInt64
  ) throws(Failure) -> [UInt8] {
    var output: [UInt8] = []
    var written = 0
    var isOpen = true
    defer {
      if isOpen { close(stdin) }
      close(stdout)
    }
    _ = fcntl(stdin, F_SETFL, O_NONBLOCK)
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if isOpen, written == input.count {
        close(stdin)
        isOpen = false
      }
      let now = DispatchTime.now().uptimeNanoseconds
      guard now < deadline else { throw .tooSlow(seconds: timeout) }
      var ends = [
        pollfd(fd: stdout, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isOpen ? stdin : -1, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: errors.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&ends, 3, Int32(clamping: (deadline - now) / 1_000_000 + 1))
      guard ready >= 0 || errno == EINTR else { throw .broken(errno: errno) }
      if ready <= 0 { continue }
      if ends[1].revents != 0 {
        let count = input[written...].withUnsafeBytes { write(stdin, $0.baseAddress, $0.count) }
        if count > 0 {
          written += count
        } else if errno == EPIPE {
          // The program does not read the rest.
          written = input.count
        } else if errno != EAGAIN && errno != EINTR {
          throw .broken(errno: errno)
        }
      }
      if ends[2].revents != 0 { errors.relay() }
      if ends[0].revents != 0 {
        let count = chunk.withUnsafeMutableBytes { read(stdout, $0.baseAddress, $0.count) }
        if count == 0 { return output }
        if count < 0, errno != EINTR { throw .broken(errno: errno) }
        output += chunk[..<max(count, 0)]
        guard output.count <= maximumOutput else { throw .tooMuch(bytes: maximumOutput) }
      }
    }
  }

  /// Waits until a program that has closed its output ends, relays its errors meanwhile, and returns its wait status.
  /// Throws `tooSlow` after the deadline; the program still runs then.
  private func wait(
    for child: pid_t, _ errors: inout RelayedErrors, until deadline: UInt64
  ) throws(Failure) -> Int32 {
    var status: Int32 = 0
    var pause: UInt32 = 100
    while true {
      // More of its errors may wait: then it is read at once.
      let isWriting = errors.relay()
      let ended = waitpid(child, &status, WNOHANG)
      if ended == child { return status }
      guard ended == 0 || errno == EINTR else { throw .broken(errno: errno) }
      guard DispatchTime.now().uptimeNanoseconds < deadline else { throw .tooSlow(seconds: timeout) }
      if isWriting { continue }
      usleep(pause)
      pause = min(pause * 2, 20_000)
    }
  }

  private static func wait(for child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
  }

  /// The two ends of a pipe.
  private struct Pipe {
    let read: Int32
    let write: Int32

    func close() {
      Foundation.close(read)
      Foundation.close(write)
    }
  }

  /// Creates pipes that no other program inherits.
  private static func pipes(count: Int) throws(Failure) -> [Pipe] {
    var pipes: [Pipe] = []
    for _ in 0..<count {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else {
        let failure = errno
        for pipe in pipes { pipe.close() }
        throw .broken(errno: failure)
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      pipes.append(Pipe(read: ends[0], write: ends[1]))
    }
    return pipes
  }
}
