import Emitters
import FlatBuffersCore
import Foundation
import SchemaPlugins
import TestSupport
import Testing

/// Plug-ins in Swift, which read what dflatc says with the module SchemaPlugins.
@Suite("A plug-in in Swift")
struct SwiftPluginTests {
  /// The bytes with which dflatc asks a plug-in about schemas.
  private func request(_ arguments: [String], in folder: URL) throws -> [UInt8] {
    let path = try folder.write("#!/bin/sh\ncat > request.bin\n", to: "plugin.sh")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    // It gives no answer, which dflatc says.
    _ = try run(
      productsFolder.appending(path: "dflatc"), ["compile", "-o", "out", "--plugin", "x=plugin.sh:a=b"] + arguments,
      in: folder)
    return try Array(Data(contentsOf: folder.appending(path: "request.bin")))
  }

  /// What dflatc makes of an answer.
  private func files(in response: [UInt8]) -> Result<[GeneratedFile], PluginExchange.ResponseError> {
    Result { () throws(PluginExchange.ResponseError) in try PluginExchange.files(in: response) }
  }

  @Test("A plug-in sees services and the Swift names of their messages")
  func itSeesServicesAndTheSwiftNamesOfTheirMessages() throws {
    try withFolder { folder in
      try folder.write(
        """
        namespace A.B;
        enum Type: byte { X }
        struct Point { x: int; }
        /// Asks.
        table Protocol { point: Point; kind: Type; }
        table Answer (swift_name: "Reply") { u: U; }
        union U { Answer }
        /// Answers.
        rpc_service S { Ask(Protocol): Answer (streaming: "bidi", idempotent); }
        """, to: "one/s.fbs")
      try folder.write("table T { x: int; }", to: "two/s.fbs")
      let request = try PluginRequest(request(["one/s.fbs", "two/s.fbs"], in: folder))
      #expect(request.parameter == "a=b")
      #expect(request.inputs.map(\.outputStem) == ["one_s", "two_s"])
      let names = request.swiftTypes.mapValues { [$0.model, $0.accessor] }
      #expect(
        names == [
          "A.B.Type": ["A.B.Type_", "A.B.Type_Value"], "A.B.Point": ["A.B.Point", "A.B.PointReader"],
          "A.B.Protocol": ["A.B.Protocol_", "A.B.Protocol_Reader"], "A.B.Answer": ["A.B.Reply", "A.B.ReplyReader"],
          "A.B.U": ["A.B.U", "A.B.UReader"], "T": ["T", "TReader"],
        ])
      let service = try #require(request.schema.services.first { _ in true })
      #expect(request.schema.services.count == 1 && service.name == "A.B.S")
      #expect(service.declarationFile == request.inputs[0].path && service.documentation.array == [" Answers."])
      let call = service.calls[0]
      #expect(call.name == "Ask" && call.request?.name == "A.B.Protocol" && call.response?.name == "A.B.Answer")
      #expect(call.attributes.value(of: "streaming") == "bidi" && call.attributes.contains("idempotent"))
      #expect(call.attributes.value(of: "other") == nil)
    }
  }

  @Test(
    "A request to a plug-in holds the access level of the run and of each type",
    arguments: ["internal", "package", "public"])
  func access(of run: String) throws {
    try withFolder { folder in
      try folder.write(
        """
        struct Key (private) { a: int; }
        table Held { key: Key; }
        table Holder { held: [Held]; }
        union Either { Holder, Open }
        table Open { x: int; }
        enum Kind: byte { A }
        """, to: "t.fbs")
      let request = try PluginRequest(request(["t.fbs", "--access", run], in: folder))
      let level = try #require(PluginRequest.Access(rawValue: run))
      #expect(request.access == level)
      #expect(
        request.swiftTypes.mapValues(\.access) == [
          "Key": .internal, "Held": .internal, "Holder": .internal, "Either": .internal, "Open": level, "Kind": level,
        ])
      #expect(min(.public, request.access) == level && max(.internal, request.access) == level)
    }
  }

  @Test("A plug-in sees no Swift names when no Swift is emitted")
  func withoutSwiftNothingHasANameInIt() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }", to: "t.fbs")
      let request = try PluginRequest(request(["t.fbs", "--emit", "json"], in: folder))
      #expect(request.swiftTypes.isEmpty)
      #expect(request.inputs.map(\.outputStem) == ["t"])
    }
  }

  @Test("Files and errors of a plug-in reach the compiler")
  func itsFilesAndItsErrorsReachTheCompiler() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }", to: "t.fbs")
      let request = try request(["t.fbs"], in: folder)
      let response = PluginProgram.response(to: request) { request in
        request.inputs.map { PluginOutput(name: "a/\($0.outputStem).txt", text: "é") }
      }
      let written = try files(in: response).get()
      #expect(written.map(\.name) == ["a/t.txt"] && written[0].content == Array("é".utf8))

      struct Refusal: Error, CustomStringConvertible { let description: String }
      for (message, shown) in [("no T", "no T"), ("", "The plug-in refuses the schema, and does not say why.")] {
        let refused = PluginProgram.response(to: request) { _ in throw Refusal(description: message) }
        #expect(files(in: refused) == .failure(.refused(shown)))
      }
    }
  }

  @Test("The accessors of binary schemas read those that flatc writes")
  func theAccessorsOfBinarySchemasReadThoseOfFlatc() throws {
    try withFolder { folder in
      try folder.write(
        """
        namespace A;
        attribute "mark";
        /// Colors.
        enum Color: ushort (mark: "e") {
          Red = 3,
          /// Like grass.
          Green = 500
        }
        struct P { x: double; y: [short:3]; }
        table K { name: string (key); }
        union U { K, Again: K }
        table T (mark) {
          /// A color.
          color: Color = Green; real: double = 2.5; maybe: int = null; old: int (deprecated); k: K (required); u: U; ps: [P];
        }
        rpc_service S {
          /// Asks.
          Ask(T): K (streaming: "bidi");
        }
        root_type T; file_identifier "ABCD"; file_extension "abc";
        """, to: "s.fbs")
      try runTool(
        "flatc", ["--binary", "--schema", "--bfbs-comments", "--bfbs-builtins", "--bfbs-filenames", ".", "s.fbs"],
        in: folder)
      let bytes = try Array(Data(contentsOf: folder.appending(path: "s.bfbs")))
      let schema = try reflection.SchemaReader(verifying: ByteBuffer(bytes))
      #expect(schema.fileIdent == "ABCD" && schema.fileExt == "abc" && schema.rootTable?.name == "A.T")
      #expect(schema.fbsFiles.map(\.filename).count == 1 && schema.advancedFeatures.contains(.optionalScalars))
      let enums = Dictionary(uniqueKeysWithValues: schema.enums.map { ($0.name ?? "", $0) })
      let color = try #require(enums["A.Color"])
      #expect(color.underlyingType?.baseType == .uShort && color.attributes.value(of: "mark") == "e" && !color.isUnion)
      #expect(color.values.map(\.value) == [3, 500] && color.documentation.array == [" Colors."])
      #expect(color.values[1].documentation.array == [" Like grass."])
      let union = try #require(enums["A.U"])
      #expect(union.isUnion && union.values.map(\.name) == ["NONE", "K", "Again"])
      let objects = Dictionary(uniqueKeysWithValues: schema.objects.map { ($0.name ?? "", $0) })
      #expect(union.values[2].unionType.map { schema.objects[Int($0.index)].name } == "A.K")
      let p = try #require(objects["A.P"])
      #expect(p.isStruct && p.bytesize == 16 && p.minalign == 8 && p.fields[0].padding == 0 && p.fields[1].padding == 2)
      let y = try #require(p.fields[1].type)
      #expect(p.fields[1].offset == 8 && y.baseType == .array && y.element == .short && y.fixedLength == 3)
      #expect(objects["A.K"]?.fields[0].key == true)
      let t = try #require(objects["A.T"])
      let fields = Dictionary(uniqueKeysWithValues: t.fields.map { ($0.name ?? "", $0) })
      #expect(t.attributes.contains("mark") && t.declarationFile?.hasSuffix("s.fbs") == true && !t.isStruct)
      #expect(fields["color"]?.defaultInteger == 500 && fields["color"]?.documentation.array == [" A color."])
      #expect(fields["real"]?.defaultReal == 2.5 && fields["maybe"]?.optional == true)
      #expect(fields["old"]?.deprecated == true && fields["real"]?.deprecated == false)
      #expect(fields["k"]?.required == true && fields["k"]?.id == 4 && fields["k"]?.offset == 12)
      #expect(fields["ps"]?.type?.baseType == .vector && fields["ps"]?.type?.element == .obj)
      let service = schema.services[0]
      #expect(service.name == "A.S" && service.calls.count == 1)
      #expect(service.calls[0].name == "Ask" && service.calls[0].documentation.array == [" Asks."])
      #expect(service.calls[0].request?.name == "A.T" && service.calls[0].response?.name == "A.K")
      #expect(service.calls[0].attributes.value(of: "streaming") == "bidi")
    }
  }

  @Test("Damaged requests are answered with an error, and nothing is read outside of them")
  func damagedRequests() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }\nrpc_service S { Ask(T): T (idempotent); }", to: "t.fbs")
      let request = try request(["t.fbs"], in: folder)
      // Reads all that there is.
      func answer(_ bytes: [UInt8]) -> [UInt8] {
        PluginProgram.response(to: bytes) { request in
          request.schema.services.map { service in
            let calls = service.calls.map { "\($0.name ?? "")\($0.request?.name ?? "")\($0.attributes.count)" }
            return PluginOutput(name: "s.txt", text: calls.joined())
          }
        }
      }
      for count in 0..<request.count - 3 {
        guard case .failure(.refused(let reason)) = files(in: answer(Array(request[..<count]))) else {
          Issue.record("\(count) of \(request.count) bytes are a request")
          continue
        }
        #expect(reason.contains("is no "), "\(reason)")
      }
      var refused = 0
      for place in request.indices {
        var bytes = request
        bytes[place] ^= 0xFF
        switch files(in: answer(bytes)) {
        case .failure(.refused): refused += 1
        case .failure(.invalid(let reason)): Issue.record("byte \(place): \(reason)")
        // A text may hold any byte.
        case .success: break
        }
      }
      // If the schema in it were not verified, less than a quarter would be.
      #expect(refused > request.count / 2, "\(refused) of \(request.count)")
    }
  }
}
