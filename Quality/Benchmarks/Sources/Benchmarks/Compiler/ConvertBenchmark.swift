import Foundation

/// `dflatc convert` of generated JSON to a FlatBuffer, beside `flatc -b` of the same: time, and peak memory.
struct ConvertBenchmark {
  private let compiler: String
  private let folder: URL
  private let rounds: Int
  private let reporter: Reporter

  /// A way to write the same objects. `#` stands for the number of each.
  private struct Form {
    let name: String
    let item: String
    var options: [String] = []
  }

  private let forms = [
    Form(
      name: "as programs write it",
      item: #"{"id": #, "name": "item #", "tag": "Green", \#(ConvertBenchmark.rest)}"#),
    Form(
      name: "with comments and single quotes",
      item: "{id: #, /* the name */ name: 'item #', tag: Green, // its colour\n \(ConvertBenchmark.rest),}"),
    Form(
      name: "with unknown fields",
      item: #"{"id": #, "more": {"a": [1, "x"]}, "name": "item #", "tag": "Green", \#(ConvertBenchmark.rest)}"#,
      options: ["--unknown-json"]),
  ]

  private static let rest =
    #""price": #.25, "pos": {"x": 1, "y": #}, "ok": true, "part_type": "Item", "part": {"id": 1}"#

  private static let schema = """
    enum Tag: byte { Red, Green }
    struct Pos { x: int; y: int; }
    union Part { Item }
    table Item { id: int; name: string; price: double; tag: Tag; pos: Pos; ok: bool; part: Part; }
    table Root { items: [Item]; }
    root_type Root;

    """

  init(_ measurement: Measurement) {
    compiler = measurement.compiler
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
  }

  func run() throws {
    reporter.print("convert: JSON of 50 MB to a FlatBuffer")
    for form in forms { try compare(form) }
  }

  private func compare(_ form: Form) throws {
    let place = folder.appending(path: "convert-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let (schema, data) = (place.appending(path: "items.fbs").path, place.appending(path: "items.json").path)
    try Data(Self.schema.utf8).write(to: URL(fileURLWithPath: schema))
    try write(form, to: URL(fileURLWithPath: data))
    let ours = ["convert"] + form.options + [schema, data, "-o", place.appending(path: "ours.bin").path]
    let flatc = try path(ofProgram: "flatc")
    let theirs = form.options + ["-o", place.path, "-b", schema, data]
    var timings = Timings(.convert)
    var memory: (ours: [Double], theirs: [Double]) = ([], [])
    for _ in 0..<rounds {
      _ = try timings.measure("dflatc") { try launch(compiler, ours) }
      _ = try timings.measure("flatc") { try launch(flatc, theirs) }
      guard let own = try peakMemory(of: compiler, ours), let other = try peakMemory(of: flatc, theirs) else {
        continue
      }
      memory.ours.append(Double(own) / 1_048_576)
      memory.theirs.append(Double(other) / 1_048_576)
    }
    var time = ReportRow(
      .convert, "50 MB \(form.name)", .seconds, timings.series("dflatc"), besides: "flatc", timings.series("flatc"))
    time.reach = 1
    try reporter.add(time)
    if !memory.ours.isEmpty {
      var row = ReportRow(
        .convert, "50 MB \(form.name): peak memory", .mebibytes, memory.ours, besides: "flatc", memory.theirs)
      row.reach = 1
      try reporter.add(row)
    }
    try FileManager.default.removeItem(at: place)
  }

  /// Writes one object of about 50 MB.
  private func write(_ form: Form, to file: URL) throws {
    var text = Data("{\"items\": [".utf8)
    var number = 0
    while text.count < 50_000_000 {
      text += Data(((number == 0 ? "" : ", ") + form.item.replacing("#", with: String(number))).utf8)
      number += 1
    }
    try (text + Data("]}".utf8)).write(to: file)
  }
}
