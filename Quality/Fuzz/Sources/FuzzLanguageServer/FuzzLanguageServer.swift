import FuzzDriver
import ServerJobs

@main
struct FuzzLanguageServer {
  static func main() {
    fuzz([
      "server-messages": { ServerMessagesJob.run },
      "server-edits": { ServerEditsJob.run },
    ])
  }
}
