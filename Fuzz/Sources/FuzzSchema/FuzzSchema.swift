import FuzzDriver
import FuzzJobs

@main
struct FuzzSchema {
  static func main() {
    fuzz(SchemaJob.run)
  }
}
