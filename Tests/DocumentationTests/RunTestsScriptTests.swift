import Foundation
import TestSupport
import Testing

@Suite("The script that runs the tests")
struct RunTestsScriptTests {
  private func run(_ commands: String) throws -> String {
    try withTemporaryFolder { folder in
      try Shell(folder: folder).run("script=$DFLAT/Scripts/run-tests.sh; " + commands).text
    }
  }

  @Test("The script prints what has ended and what has failed, and which tests were running")
  func failure() throws {
    try withTemporaryFolder { folder in
      try folder.write(
        """
        ◇ Test "a" started.
        ◇ Test "b" started.
        ✘ Test "a" failed after 0.1 seconds.
        the end
        """, to: "printed")
      let text = try Shell(folder: folder).run(
        "\"$DFLAT/Scripts/run-tests.sh\" sh -c 'cat printed; exit 3' || echo $?"
      ).text
      #expect(
        text == """
          ✘ Test "a" failed after 0.1 seconds.
          the end

          What failed (exit code 3):
          ✘ Test "a" failed after 0.1 seconds.
          the end
          was running: "b"
          3

          """)
    }
  }

  @Test(
    "The script ends with its command, though a process is left that can write what it prints, or goes on to do so",
    arguments: ["sleep 900", "while :; do echo noise; done"])
  func processLeftBehind(_ left: String) throws {
    let start = Date()
    let text = try run("\"$script\" sh -c '\(left) & echo $! >left; echo ended'; kill -KILL $(cat left)")
    #expect(text == "ended\n" || left != "sleep 900" && text.contains("ended\n"), "\(text.prefix(1_000))")
    #expect(Date().timeIntervalSince(start) < 600)
  }

  #if os(Linux)
    @Test("At its limit, it ends the command with all that it has started, and fails")
    func limit() throws {
      let text = try run(
        """
        TEST_LIMIT=0 "$script" sh -c 'trap "" TERM; setsid sleep 900; echo ended' || echo $?
        """)
      #expect(text.contains("The limit of 0 minutes was reached"), "\(text)")
      #expect(text.hasSuffix("124\n"), "\(text)")
    }
  #endif
}
