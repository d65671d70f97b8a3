/// What a binary schema says, as facts: where each stands, and what it is.
struct BinarySchemaContent: Equatable {
  private(set) var facts: [String: String] = [:]
  private(set) var order: [String] = []

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      guard let tab = line.firstIndex(of: "\t") else { continue }
      let place = String(line[..<tab])
      order.append(place)
      facts[place] = String(line[line.index(after: tab)...])
    }
  }

  subscript(place: String) -> String? { facts[place] }
}

/// A fact that is not the same in two binary schemas.
struct Difference: CustomStringConvertible {
  let place: String
  let ours: String?
  let theirs: String?

  var description: String { "\(place): ours \(ours ?? "(none)"), flatc's \(theirs ?? "(none)")" }

  /// All of them, in the order of the files.
  static func between(ours: BinarySchemaContent, theirs: BinarySchemaContent) -> [Difference] {
    let places = theirs.order + ours.order.filter { theirs[$0] == nil }
    return places.compactMap { place in
      ours[place] == theirs[place] ? nil : Difference(place: place, ours: ours[place], theirs: theirs[place])
    }
  }
}

/// Where flatc writes something else than the schema says, and we do not follow it. Documentation/schema-language.md lists them.
enum KnownDifference: String, CaseIterable {
  /// The elements of arrays of structs, and of vectors of structs with a 64-bit length: flatc says 4 bytes, whatever the
  /// struct's size. Version 2.0.8 says so of all vectors of structs.
  case elementSizeOfStructs
  /// What has no doc comment: flatc 2.0.8 writes an empty list of lines. We write none, as newer versions do.
  case emptyDocumentation
  /// Structs and arrays in structs: flatc says that they may be absent.
  case optionalStructMembers
  /// Defaults of functions such as `rad(180)`: flatc keeps 12 digits.
  case functionDefaultsCutOff
  /// Unsigned defaults above what a long can hold: flatc says 0. We give the same bits.
  case unsignedDefaultsDropped
  /// The default -0.0: flatc says 0.0.
  case negativeZeroDropped

  /// The one that explains a difference. Nothing if none does.
  static func explaining(
    _ difference: Difference, ours: BinarySchemaContent, theirs: BinarySchemaContent
  ) -> KnownDifference? {
    if difference.ours == nil, difference.theirs == "0", difference.place.hasSuffix(".documentation.count") {
      return .emptyDocumentation
    }
    guard let mine = difference.ours, let other = difference.theirs,
      let dot = difference.place.lastIndex(of: ".")
    else { return nil }
    let owner = String(difference.place[..<dot])
    switch difference.place[difference.place.index(after: dot)...] {
    case "element_size":
      guard ours[owner + ".element"] == "Obj", other == "4", let index = ours[owner + ".index"],
        let name = ours["objects[\(index)]"]
      else { return nil }
      return ours["object \(name).is_struct"] == "1" && ours["object \(name).bytesize"] == mine
        ? .elementSizeOfStructs : nil
    case "optional":
      guard mine == "0", other == "1", ["Obj", "Array"].contains(ours[owner + ".type.base_type"]),
        let field = owner.lastIndex(of: ".")
      else { return nil }
      return ours["\(owner[..<field]).is_struct"] == "1" ? .optionalStructMembers : nil
    case "default_integer":
      guard other == "0", let number = Int64(mine), number < 0 else { return nil }
      return ours[owner + ".type.base_type"] == "ULong" ? .unsignedDefaultsDropped : nil
    case "default_real":
      guard let number = Double(mine), let their = Double(other) else { return nil }
      if number == 0, number.sign == .minus, their == 0 { return .negativeZeroDropped }
      return abs(number - their) <= abs(number) * 1e-6 && abs(number - their) <= 1e-11 * max(1, abs(number))
        ? .functionDefaultsCutOff : nil
    default:
      return nil
    }
  }
}
