import FuzzJobs

/// libFuzzer's own main, under a name that can be called.
/// See https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@main
struct FuzzSchema {
  static func main() {
    // Both are the process's own, and stay where they are until it ends.
    var argumentCount = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    _ = runDriver(&argumentCount, &arguments) { data, count in
      do throws(Mistake) {
        try SchemaJob.run(Array(UnsafeBufferPointer(start: data, count: count)))
      } catch {
        // libFuzzer keeps the input of a program that stops.
        fatalError(error.description)
      }
      return 0
    }
  }
}
