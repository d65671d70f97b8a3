import FuzzDriver
import FuzzJobs

@main
struct FuzzWireFormat {
  static func main() {
    fuzz(WireFormatJob.run)
  }
}
