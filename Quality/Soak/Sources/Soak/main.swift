import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") || arguments.contains("-h") {
  print(Options.help)
  exit(0)
}
let options: Options
do {
  options = try Options(arguments)
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(2)
}

/// What a command prints, without its end of line.
func output(_ program: String, _ arguments: String...) -> String? {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return nil }
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else { return nil }
  return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
}

print("seed \(options.seed), \(Int(options.minutes)) minutes, \(options.workers) runs at once")
if options.skippedForms > 0 { print("\(options.skippedForms) forms are skipped: PostgreSQL is not installed") }
let soak = Soak(options)
do {
  try soak.run()
  let processors = ProcessInfo.processInfo.activeProcessorCount
  var machine = "\(output("uname", "-sm") ?? "an unknown machine") with \(processors) processors"
  if options.forms.contains(where: \.needsPostgres), let folder = Form.postgres,
    let version = output("\(folder)/postgres", "--version")
  {
    machine += ", \(version)"
  }
  let table = soak.record.table(
    seed: options.seed, machine: machine,
    commit: output("git", "describe", "--always", "--dirty") ?? "unknown")
  print(table)
  if let page = options.page { try Record.insert(table, into: page) }
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(3)
}
exit(soak.record.failures.isEmpty ? 0 : 1)
