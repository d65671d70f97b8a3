/// The plots of the report.
enum Plot: String, Codable, CaseIterable {
  case insert, fetch, update, delete
  case readThreads = "read-threads"
  case insertThreads = "insert-threads"
  case matching
  case compile

  var title: String {
    switch self {
    case .insert: "Inserting documents in one transaction"
    case .fetch: "Fetching all documents"
    case .update: "Updating documents in one transaction"
    case .delete: "Deleting documents in one transaction"
    case .readThreads: "Fetching documents by primary key, from several threads"
    case .insertThreads: "Inserting from several threads, a type for each"
    case .matching: "Finding the standing queries that match a row"
    case .compile: "Compiling tables of 10 fields to Swift"
    }
  }

  var xLabel: String {
    switch self {
    case .insert, .fetch, .update, .delete: "documents"
    case .readThreads, .insertThreads: "threads"
    case .matching: "standing queries"
    case .compile: "tables"
    }
  }

  var yLabel: String {
    switch self {
    case .insert, .fetch, .update, .delete, .readThreads, .insertThreads: "objects a second"
    case .matching: "ns per row"
    case .compile: "seconds"
    }
  }

  /// Where the report shows it.
  var section: Section {
    switch self {
    case .insert, .fetch, .update, .delete: .crud
    case .readThreads, .insertThreads: .threads
    case .matching: .matching
    case .compile: .compiler
    }
  }

  /// The file of the plot, beside the report.
  var file: String { "plots/\(rawValue).svg" }
}

extension LogLogPlot {
  /// A plot of the report, without its lines.
  init(_ plot: Plot) {
    self.init(title: plot.title, xLabel: plot.xLabel, yLabel: plot.yLabel)
  }

  /// A plot of the report, with lines of points in the order in which they were measured.
  init(_ plot: Plot, _ points: [PlotPoint]) {
    self.init(plot)
    var names: [String] = []
    for point in points where !names.contains(point.line) { names.append(point.line) }
    for name in names {
      let line = points.filter { $0.line == name }
      add(name, line.map { ($0.x, $0.y) }, isDashed: line[0].isDashed)
    }
  }
}
