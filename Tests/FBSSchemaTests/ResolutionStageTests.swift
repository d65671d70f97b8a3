import FBSDiagnostics
import FBSParser
import Testing

@testable import FBSSchema

/// Each stage of resolution by itself, on what the stages before it have made.
@Suite("The stages of resolution")
struct ResolutionStageTests {
  private func scope(_ texts: String...) -> ResolutionScope {
    let files = texts.enumerated().map { number, text in
      let source = SourceFile(id: FileID(number), path: "\(number).fbs", bytes: Array(text.utf8))
      return LoadedFile(tree: Parser.parse(source).tree, path: source.path, identity: source.path, isInput: true)
    }
    return ResolutionScope(files: files, order: Array(files.indices))
  }

  /// A scope after the first stage, and what waits for the last ones.
  private func declared(_ text: String) -> (scope: ResolutionScope, pending: PendingStatements) {
    let scope = scope(text)
    var stage = DeclarationStage(scope)
    stage.run()
    return (scope, stage.pending)
  }

  @Test("Declaring numbers each kind by itself, in the order of the text, and resolves no type")
  func declarations() {
    let (scope, pending) = declared(
      "namespace N; table A { x: Missing; } enum E: int { V } table B {} struct S { x: int; } root_type A; root_type B;"
    )
    #expect(
      scope.symbols.definitions.map(\.id)
        == [.table(TableID(0)), .enumeration(EnumID(0)), .table(TableID(1)), .structure(StructID(0))])
    #expect(scope.symbols.definitions.map { scope.qualifiedName($0).description } == ["N.A", "N.E", "N.B", "N.S"])
    #expect(pending.roots.count == 2 && pending.services.isEmpty && pending.objects.isEmpty)
    #expect(scope.diagnostics.count == 0)
  }

  @Test("A name is looked up in its namespace, and then in those around it")
  func lookUp() throws {
    let (scope, _) = declared(
      "table T {} table U {} namespace A; table T {} namespace A.B; table V {} namespace A.C; table T {}")
    func found(_ path: String, from namespace: String) throws -> String? {
      let components = try path.split(separator: ".").map {
        try #require(scope.symbols.names.find(Array($0.utf8)[...]))
      }
      let start = try #require(
        scope.symbols.namespaces.components.firstIndex { $0.joined(separator: ".") == namespace })
      return scope.lookUp(components, from: start, in: 0).found
        .map { scope.qualifiedName(scope.symbols.definitions[$0]).description }
    }
    #expect(try found("T", from: "A.B") == "A.T")
    #expect(try found("T", from: "A.C") == "A.C.T")
    #expect(try found("U", from: "A.C") == "U")
    #expect(try found("B.V", from: "A.C") == "A.B.V")
    #expect(try found("V", from: "A.C") == nil)
  }

  @Test("An enum takes the type of the enum that it names, however long the chain")
  func numberTypes() {
    let (scope, _) = declared("enum A: B { X } enum B: C { X } enum C: ushort { X } enum D: E { X } enum E: D { X }")
    let types = NumberTypes(scope)
    #expect((0..<3).map { types.type(of: $0) } == [.uint16, .uint16, .uint16])
    #expect(scope.diagnostics.count == 0)
    _ = types.type(of: 3)
    #expect(scope.diagnostics.elements.map(\.code) == [.wrongType])
  }

  @Test("Structs are laid out from the inside, wherever they are declared")
  func layout() throws {
    let (scope, _) = declared(
      "struct Outer { a: ubyte; inner: Inner; b: ushort; } struct Inner { x: ubyte; y: double; }")
    var enums = EnumStage(scope, NumberTypes(scope))
    enums.run()
    var structs = StructStage(scope)
    structs.run()
    let outer = try #require(scope.schema.structs.first)
    #expect(outer.fields.map(\.offset) == [0, 8, 24] && outer.size == 32 && outer.alignment == 8)
  }

  @Test("Fields have the ids that they say, and a union takes two")
  func ids() throws {
    let (scope, _) = declared(
      "union U { T } table T {} table A { c: int (id: 3); u: U (id: 2); a: int (id: 0); } table B { a: int; u: U; b: int; }"
    )
    var unions = UnionStage(scope, NumberTypes(scope))
    unions.run()
    var tables = TableStage(scope)
    tables.run(keeping: nil)
    #expect(scope.diagnostics.count == 0)
    #expect(scope.schema.tables.map { $0.fields.map(\.id) } == [[], [3, 2, 0], [0, 2, 3]])
    #expect(scope.schema.tables.map(\.slotCount) == [0, 4, 4])
  }
}
