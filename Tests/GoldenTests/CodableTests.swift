import Dflat
import FlatBuffersCore
import Foundation
import Golden_codable
import Testing

@Suite("The output for (codable), compiled and run")
struct CodableTests {
  private let full = Photo(
    title: "Sea", number: 7, origin: Point(x: 1, y: -2), mood: .stormy, maybeMood: .NORMAL, rights: [.read, .write],
    ratio: -0.25, count: .min, isPublic: false, default: "\"",
    track: Track(start: Point(x: 0.5), sky: .grey, samples: [1, -2, 3], skies: [.grey, .clear]),
    caption: Caption(text: "Sea", language: "de"), content: .caption(Caption(text: "")), numbers: [.max, 0],
    moods: [.calm, .stormy], captions: [Caption(text: "a"), Caption(text: "b", language: "")])
  private let plain = Photo(title: "", number: 0, origin: Point())

  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func photo(_ json: String) throws -> Photo {
    try JSONDecoder().decode(Photo.self, from: Data(json.utf8))
  }

  /// The objects with each member that a union can hold.
  private var photos: [Photo] {
    let contents: [Content] = [.caption(Caption(text: "c")), .point(Point(y: 3)), .empty(Empty()), .plain("text")]
    return [full, plain]
      + contents.map { content in
        var builder = PhotoBuilder(plain)
        builder.content = content
        return builder.build()
      }
  }

  @Test("Objects are unchanged after encoding to JSON and decoding")
  func objectsSurviveJSON() throws {
    for photo in photos {
      #expect(try JSONDecoder().decode(Photo.self, from: JSONEncoder().encode(photo)) == photo)
    }
  }

  @Test("Objects are unchanged after encoding to property lists and decoding")
  func objectsSurvivePropertyLists() throws {
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format
      for photo in photos {
        #expect(try PropertyListDecoder().decode(Photo.self, from: encoder.encode(photo)) == photo)
      }
    }
  }

  @Test("JSON holds the fields alone, each under its Swift name")
  func onlyFieldsAreEncodedEachUnderItsSwiftName() throws {
    #expect(
      try json(full) == """
        {"caption":{"language":"de","text":"Sea"},"captions":[{"language":"en","text":"a"},{"language":"","text":"b"}],\
        "content":{"caption":{"language":"en","text":""}},"count":-2147483648,"default":"\\"","isPublic":false,\
        "maybeMood":4,"mood":2,"moods":[1,2],"number":7,"numbers":[18446744073709551615,0],"origin":{"x":1,"y":-2},\
        "ratio":-0.25,"rights":3,"title":"Sea","track":{"samples":[1,-2,3],"skies":[-3,0],\
        "sky":-3,"start":{"x":0.5,"y":0}}}
        """)
    #expect(
      try json(plain) == """
        {"captions":[],"default":"d","isPublic":true,"mood":1,"moods":[],"number":0,"numbers":[],"origin":{"x":0,"y":0},\
        "ratio":1.5,"rights":1,"title":""}
        """)
  }

  @Test("The row number of a stored object is not encoded")
  func theRowOfAStoredObjectIsNotEncoded() throws {
    let stored = Photo(.empty, _rowid: 12)
    #expect(try !json(stored).contains("12"))
    #expect(try photo(json(stored))._rowid == 0)
  }

  @Test("Missing fields and nulls decode as the defaults of the schema")
  func missingFieldsAndNullsTakeTheDefaultsOfTheSchema() throws {
    let required = #""title":"","number":0,"origin":{}"#
    #expect(try photo("{\(required)}") == plain)
    #expect(try photo(#"{\#(required),"mood":null,"ratio":null,"track":null,"moods":null,"default":null}"#) == plain)
    let track = try #require(try photo(#"{\#(required),"track":{"samples":[4,5,6]}}"#).track)
    #expect(track == Track(samples: [4, 5, 6]))
  }

  @Test("Unknown keys are ignored when decoding")
  func unknownKeysAreLeftAside() throws {
    #expect(try photo(#"{"title":"","number":0,"origin":{},"old":"x","later":{"a":[1]}}"#) == plain)
  }

  // MARK: JSON of Dflat 0.6, for which Swift has made the coding: all stored properties are keys, and the value of a union's case
  // stands behind `_0`.

  @Test("JSON that Dflat 0.6 wrote decodes to the same objects")
  func objectsOfDflat06AreRead() throws {
    let json = """
      {"_rowid":12,"_changesTimestamp":34,"title":"Sea","number":7,"mood":2,"maybeMood":4,"rights":3,"ratio":-0.25,\
      "count":-2147483648,"isPublic":false,"default":"\\"",\
      "track":{"start":{"x":0.5,"y":0},"sky":-3,"samples":[1,-2,3],"skies":[-3,0]},"origin":{"x":1,"y":-2},\
      "caption":{"text":"Sea","language":"de"},"content":{"caption":{"_0":{"text":"","language":"en"}}},\
      "numbers":[18446744073709551615,0],"moods":[1,2],\
      "captions":[{"text":"a","language":"en"},{"text":"b","language":""}]}
      """
    let read = try photo(json)
    #expect(read == full)
    #expect(read._rowid == 0 && read._commitVersion == 0)
  }

  @Test(
    "The members of a union, as Dflat 0.6 has written them, are read",
    arguments: [
      (#"{"caption":{"_0":{"text":"c","language":"en"}}}"#, Content.caption(Caption(text: "c"))),
      (#"{"point":{"_0":{"x":0,"y":3}}}"#, .point(Point(y: 3))),
      (#"{"empty":{"_0":{}}}"#, .empty(Empty())),
    ])
  func membersOfDflat06(text: String, content: Content) throws {
    #expect(try JSONDecoder().decode(Content.self, from: Data(text.utf8)) == content)
    #expect(try photo(#"{"title":"","number":0,"origin":{},"content":\#(text)}"#).content == content)
  }

  @Test("A member of Dflat 0.6 that does not fit is a DecodingError as well")
  func aMemberOfDflat06ThatDoesNotFit() {
    for text in [#"{"caption":{"_0":{}}}"#, #"{"point":{"_0":{"x":"1"}}}"#, #"{"point":{"_0":{},"_1":3},"plain":""}"#] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(Content.self, from: Data(text.utf8)) }
    }
  }

  @Test(
    "A value that does not fit is a DecodingError with its coding path",
    arguments: [
      (#"{"number":0,"origin":{}}"#, "title"), (#"{"title":null,"number":0,"origin":{}}"#, "title"),
      (#"{"title":"","origin":{}}"#, "number"), (#"{"title":"","number":0}"#, "origin"),
      (#"{"title":"","number":-1,"origin":{}}"#, nil),
      (#"{"title":"","number":0,"origin":{},"mood":3}"#, "mood"),
      (#"{"title":"","number":0,"origin":{},"mood":"Calm"}"#, "mood"),
      (#"{"title":"","number":0,"origin":{},"moods":[1,9]}"#, "moods"),
      (#"{"title":"","number":0,"origin":{},"rights":256}"#, nil),
      (#"{"title":"","number":0,"origin":{},"caption":{}}"#, "caption"),
      (#"{"title":"","number":0,"origin":{},"track":{"samples":[1,2]}}"#, "samples"),
      (#"{"title":"","number":0,"origin":{},"track":{"skies":[0,0,0]}}"#, "skies"),
      (#"{"title":"","number":0,"origin":{},"content":{}}"#, "content"),
      (#"{"title":"","number":0,"origin":{},"content":{"later":{}}}"#, "content"),
      (#"{"title":"","number":0,"origin":{},"content":{"point":{},"plain":""}}"#, "content"),
      (#"{"title":"","number":0,"origin":{},"content":{"plain":1}}"#, "plain"),
      (#"{"title":"","number":0,"origin":{},"content":3}"#, "content"),
    ])
  func whatDoesNotFit(text: String, place: String?) throws {
    do {
      let photo = try photo(text)
      Issue.record("\(text) was taken for \(photo)")
    } catch let error as DecodingError {
      let context: DecodingError.Context
      var path: [any CodingKey] = []
      switch error {
      case .keyNotFound(let key, let found): (context, path) = (found, [key])
      case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
      @unknown default: throw error
      }
      path = context.codingPath + path
      // JSONDecoder gives no place for a number that is out of range.
      guard let place else { return }
      #expect(path.contains { $0.stringValue == place }, "\(text): \(error)")
    }
  }

  @Test("Types that no codable table reaches are not Codable")
  func typesThatNoneReachesAreNotCodable() {
    let types: [Any.Type] = [Unused.self, Photo.self, Empty.self, Golden_codable.Right.self, Sky.self]
    #expect(types.map { $0 is any Codable.Type } == [false, true, true, true, true])
  }

  @Test("Conditions on the vectors look at their elements")
  func vectors() throws {
    #expect((Photo.numbers.count == 2).evaluate(full))
    #expect((Photo.numbers.contains(.max)).evaluate(full))
    #expect((Photo.moods.contains(.stormy)).evaluate(full))
    #expect((Photo.captions.contains { $0.text == "b" }).evaluate(full))
    #expect((Photo.captions.count == 2).evaluate(full))
  }
}
