public import Dflat

/// The types of the app that the schema names.
public enum Theme {
  /// A color without transparency.
  public struct Color: OrderedFieldConvertible, Codable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) {
      self.red = red
      self.green = green
      self.blue = blue
    }

    public init(stored: UInt32) {
      self.init(red: UInt8(stored >> 16 & 0xFF), green: UInt8(stored >> 8 & 0xFF), blue: UInt8(stored & 0xFF))
    }

    public var stored: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }

    public static func < (lhs: Color, rhs: Color) -> Bool { lhs.stored < rhs.stored }
  }
}

/// A mood, of which one is not stored.
public enum Mood: FieldConvertible, Codable {
  case good, bad, secret

  /// A mood that nobody stores.
  public struct Secret: Error {}

  public init(stored: String) { self = stored == "bad" ? .bad : .good }

  public var stored: String {
    get throws {
      switch self {
      case .good: "good"
      case .bad: "bad"
      case .secret: throw Secret()
      }
    }
  }
}
