import Foundation
import TestSupport
import Testing

@Suite("Outputs that are pipes, devices or open files")
struct StreamOutputTests {
  private let json = "{\n  title: \"Hello\"\n}\n"

  /// Runs a script of the shell, in which `$0` is dflatc, in a folder with a schema and an object.
  private func shell(_ script: String) throws -> ProcessResult {
    try withFolder { folder in
      try folder.write("table Post { title: string; }\nroot_type Post;\n", to: "post.fbs")
      try folder.write(json, to: "a.json")
      let made = try dflatc("convert", "post.fbs", "a.json", "-o", "a.bin", in: folder)
      #expect(made.status == 0, "\(made.error)")
      return try run(
        URL(fileURLWithPath: "/bin/sh"), ["-c", script, productsFolder.appending(path: "dflatc").path], in: folder)
    }
  }

  @Test("A named pipe stays a pipe, and gets what is written")
  func namedPipe() throws {
    let result = try shell(
      """
      mkfifo pipe; exec 3<>pipe
      "$0" convert post.fbs a.bin -o pipe; echo end >&3
      sed '/^end$/q' <&3
      test -p pipe
      """)
    #expect(result.status == 0 && result.output == json + "end\n", "\(result)")
  }

  @Test("A named pipe in the output folder gets the output of its name, and is not read")
  func namedPipeInAFolder() throws {
    let result = try shell(
      """
      mkdir out; mkfifo out/post_generated.swift; exec 3<>out/post_generated.swift
      "$0" compile --emit accessors -o out post.fbs; echo end >&3
      sed '/^end$/q' <&3
      test -p out/post_generated.swift
      """)
    #expect(result.status == 0 && result.output.contains("PostReader"), "\(result)")
  }

  @Test("A run that waits for the reader of a pipe has written its files, and can be ended")
  func pipeWithoutReader() throws {
    let result = try shell(
      """
      mkfifo pipe
      (i=0; while [ ! -e out/post_generated.swift ] && [ $i -lt 30000 ]; do i=$((i + 1)); sleep 0.02; done; kill -TERM $$) &
      exec "$0" compile --emit accessors -o out --depfile pipe post.fbs
      """)
    #expect(result.status == SIGTERM, "\(result)")
  }

  @Test("A file that is standard output goes on behind what was written to /dev/stdout", arguments: ["stdout", "fd/1"])
  func standardOutputAsFile(_ name: String) throws {
    let result = try shell(
      """
      { echo before; "$0" convert post.fbs a.bin -o /dev/\(name); echo after; } > all.txt
      cat all.txt
      """)
    #expect(result.output == "before\n" + json + "after\n", "\(result)")
  }

  @Test("A baseline and a depfile are written to /dev/stdout")
  func otherOutputs() throws {
    let baseline = try shell(
      """
      echo 'table blog_post { x: int; }' > bad.fbs
      "$0" lint --write-baseline /dev/stdout bad.fbs | cat > base.json
      "$0" lint --baseline base.json bad.fbs
      """)
    #expect(baseline.status == 0, "\(baseline)")
    let depfile = try shell("\"$0\" compile --emit accessors -o out --depfile /dev/stdout post.fbs | cat")
    #expect(depfile.output.hasPrefix("out/post_generated.swift:"), "\(depfile)")
  }

  @Test("A pipe is not formatted in place")
  func pipeAsInput() throws {
    // By a link: a dflatc that replaced its input would replace /dev/stdin of the machine.
    let result = try shell("ln -s /dev/stdin pipe.fbs; printf 'table T{a:int;}' | \"$0\" format pipe.fbs")
    #expect(result.status == 3 && result.error.contains("it is a device or a pipe"), "\(result)")
  }
}
