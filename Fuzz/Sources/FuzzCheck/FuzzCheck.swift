import FuzzDriver
import FuzzJobs

@main
struct FuzzCheck {
  static func main() {
    fuzz(CheckJob.run)
  }
}
