import ConversionJobs
import FuzzDriver
import FuzzSupport

@main
struct FuzzConversions {
  static func main() {
    fuzz([
      "json-printer": { () throws(Mistake) in try JSONJob().print },
      "json": { () throws(Mistake) in try JSONJob().run },
    ])
  }
}
