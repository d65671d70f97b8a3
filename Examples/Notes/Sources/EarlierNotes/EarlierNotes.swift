import Foundation
import Version1
import Version2

/// The app as users have it who have not updated: `EarlierNotes add FILE` stores two notes with each version, and
/// `EarlierNotes list FILE` prints what each version finds.
@main
struct EarlierNotes {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let command = arguments.first, let file = arguments.last else { usage() }
    let first = AppVersion1(file: file)
    switch command {
    case "add":
      // One after the other, as one user who updates.
      var isStored = await first.add(1, "Buy milk")
      isStored = await first.add(2, "Call Ada") && isStored
      await first.close()
      let second = AppVersion2(file: file)
      isStored = await second.add(3, "Buy flour", tag: "home") && isStored
      isStored = await second.add(4, "Send the report", tag: "work") && isStored
      await second.close()
      if !isStored { exit(1) }
    case "list":
      print("version 1:", first.titles().joined(separator: ", "))
      await first.close()
      let second = AppVersion2(file: file)
      for tag in [nil, "home", "work"] {
        print("version 2, \(tag ?? "no tag"):", second.titles(tag: tag).joined(separator: ", "))
      }
      await second.close()
    default: usage()
    }
  }

  private static func usage() -> Never {
    print("Usage: EarlierNotes add FILE | EarlierNotes list FILE")
    exit(64)
  }
}
