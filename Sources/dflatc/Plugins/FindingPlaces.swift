import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import SchemaEvolution

/// Finds the ranges of a program's findings in the files that it was asked about.
struct FindingPlaces {
  /// The files that the program was asked about.
  let files: [SourceFile]
  private let names: [DeclaredNames]
  /// The other inputs, which other programs or none are asked about.
  private let otherFiles: [SourceFile]
  /// The names in the other inputs, which are read once a finding is about none of the files.
  private lazy var otherNames = otherFiles.map { DeclaredNames($0) }

  /// Reads the names that findings may be about.
  /// - Parameters:
  ///   - compilation: A valid schema.
  ///   - inputs: The files that the program was asked about.
  init(in compilation: Compilation, inputs: Set<FileID>) {
    files = compilation.sources.files.filter { inputs.contains($0.id) }
    names = files.map { DeclaredNames($0) }
    let others = Set(compilation.schema.files.filter(\.isInput).map(\.id)).subtracting(inputs)
    otherFiles = compilation.sources.files.filter { others.contains($0.id) }
  }

  /// Returns the type and member at the place of a finding, with namespaces. None for a whole file.
  func names(at range: SourceRange) -> [String] {
    zip(files, names).first { file, _ in file.id == range.file }?.1.names(at: range) ?? []
  }

  /// Returns the place of a finding: of the name that it is about, or the start of the file. Nil if it is about an input that the program was not
  /// asked about.
  mutating func range(of finding: OutsideFinding) -> SourceRange? {
    if let range = names.lazy.compactMap({ $0.range(of: finding.name) }).first { return range }
    guard !otherNames.contains(where: { $0.range(of: finding.name) != nil }),
      !otherFiles.contains(where: { $0.id == finding.file }),
      let file = files.first(where: { $0.id == finding.file }) ?? files.first
    else { return nil }
    return SourceRange(file: file.id, start: 0, end: 0)
  }
}
