import FuzzSupport

#if canImport(Glibc)
  import Glibc
#endif

/// What a target does with an input.
public typealias FuzzJob = ([UInt8]) throws(Mistake) -> Void

/// Has libFuzzer feed the job that the environment variable `FUZZ_TARGET` names, until its time is over. What libFuzzer prints and
/// takes as arguments is its own: https://llvm.org/docs/LibFuzzer.html. It may start the program again, with other arguments.
public func fuzz(_ jobs: [String: () throws(Mistake) -> FuzzJob]) {
  guard let name = getenv("FUZZ_TARGET"), let start = jobs[String(cString: name)] else {
    print("FUZZ_TARGET names one of: \(jobs.keys.sorted().joined(separator: ", "))")
    exit(2)
  }
  do throws(Mistake) {
    Job.shared.run = try start()
  } catch {
    print("The job does not start: \(error)")
    exit(3)
  }
  // Both are the process's own, and stay where they are until it ends.
  var argumentCount = CommandLine.argc
  var arguments = CommandLine.unsafeArgv
  _ = runDriver(&argumentCount, &arguments) { data, count in
    do throws(Mistake) {
      try Job.shared.run(Array(UnsafeBufferPointer(start: data, count: count)))
    } catch {
      // libFuzzer keeps the input of a program that stops.
      fatalError(error.description)
    }
    return 0
  }
}

/// What C's callback, which holds nothing, is to do.
private final class Job: @unchecked Sendable {
  // Unchecked because `run` changes once: before libFuzzer, which runs on this one thread, is started.
  static let shared = Job()
  var run: FuzzJob = { _ in }
}

/// libFuzzer's own main, under a name that can be called.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
