import ConversionJobs
import FuzzDriver
import FuzzSupport

@main
struct FuzzConversions {
  static func main() {
    fuzz(["json": { () throws(Mistake) in try JSONJob().run }])
  }
}
