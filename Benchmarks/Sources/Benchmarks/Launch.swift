import Foundation

/// Runs a program to its end. Not by Foundation, which on Linux notices the end up to 50 ms late.
///
/// - Throws: when it cannot be run, or fails.
func launch(_ path: String, _ arguments: [String]) throws {
  var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
  defer { for word in words { free(word) } }
  words.append(nil)
  var process = pid_t()
  let failure = posix_spawn(&process, path, nil, nil, words, environ)
  guard failure == 0 else { throw BenchmarkError(description: "\(path): \(String(cString: strerror(failure)))") }
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0 {
    guard errno == EINTR else { throw BenchmarkError(description: "\(path): \(String(cString: strerror(errno)))") }
  }
  guard status == 0 else {
    throw BenchmarkError(description: "\(path) \(arguments.joined(separator: " ")) failed")
  }
}
