/// A job of a workflow for GitHub.
///
/// It is read by the indentation of its lines, in the one layout that this repository's workflows have: two spaces for each
/// level, and steps two levels below their job.
struct WorkflowJob {
  struct Step {
    var uses: String?
    var run: String?
  }

  /// The kind of machine that runs it.
  var system = ""
  /// The job that must have succeeded before, or the list of several.
  var needs = ""
  var steps: [Step] = []

  static func all(in text: String) -> [String: WorkflowJob] {
    var jobs: [String: WorkflowJob] = [:]
    var name: String?
    var isInJobs = false
    for line in text.split(separator: "\n") {
      let content = line.drop { $0 == " " }
      let indent = line.count - content.count
      if content.isEmpty || content.hasPrefix("#") { continue }
      switch indent {
      case 0:
        isInJobs = content == "jobs:"
        name = nil
      case 2 where isInJobs:
        name = String(content.dropLast())
        jobs[String(content.dropLast())] = WorkflowJob()
      default:
        if let name { jobs[name]?.read(content, indent) }
      }
    }
    return jobs
  }

  private mutating func read(_ content: Substring, _ indent: Int) {
    if indent == 4, content.hasPrefix("runs-on: ") { system = String(content.dropFirst(9)) }
    if indent == 4, content.hasPrefix("needs: ") { needs = String(content.dropFirst(7)) }
    if indent == 6, content.hasPrefix("- ") { steps.append(Step()) }
    guard !steps.isEmpty else { return }
    let last = steps.count - 1
    let entry = indent == 6 ? content.dropFirst(2) : content
    if indent > 8 {
      steps[last].run = [steps[last].run, String(content)].compactMap { $0 }.joined(separator: "\n")
    } else if entry.hasPrefix("uses: ") {
      steps[last].uses = String(entry.dropFirst(6))
    } else if entry.hasPrefix("run: "), entry != "run: |" {
      steps[last].run = String(entry.dropFirst(5))
    }
  }
}
