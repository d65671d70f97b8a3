import Foundation
import TestSupport
import Testing

/// `dflatc lsp` at the end of its input: what an editor has sent before it closes the pipe counts.
@Suite("The end of an editor's input")
struct ServerInputTests {
  @Test("Messages before the end are handled, and the exit code tells whether `exit` is one", arguments: [true, false])
  func endOfInput(_ hasExit: Bool) throws {
    let messages =
      [
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
        #"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#,
      ] + (hasExit ? [#"{"jsonrpc":"2.0","method":"exit"}"#] : [])
    let input = messages.map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined()
    let program = productsFolder.appending(path: "dflatc").path
    let result = try runProgram(program, ["lsp"], input: Data(input.utf8), seconds: 600)
    let output = String(decoding: result.output, as: UTF8.self)
    #expect(output.contains("\"id\":1,") && output.contains("\"id\":2,"), "\(output)")
    #expect(result.status == (hasExit ? 0 : 1))
  }
}
