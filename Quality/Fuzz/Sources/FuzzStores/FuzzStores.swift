import FuzzDriver
import FuzzSupport
import StoreJobs

@main
struct FuzzStores {
  static func main() {
    fuzz([
      "decode": { DecodeJob.run },
      "rows": { () throws(Mistake) in try RowsJob().run },
      "tables": { () throws(Mistake) in try TablesJob().run },
    ])
  }
}
