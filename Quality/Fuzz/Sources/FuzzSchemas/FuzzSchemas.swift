import FuzzDriver
import SchemaJobs

@main
struct FuzzSchemas {
  static func main() {
    fuzz([
      "parser": { ParserJob.run },
      "format": { FormatJob.run },
      "schema": { SchemaJob.run },
      "diagnostics": { DiagnosticsJob.run },
      "emission": { EmissionJob.run },
      "check": { CheckJob.run },
    ])
  }
}
