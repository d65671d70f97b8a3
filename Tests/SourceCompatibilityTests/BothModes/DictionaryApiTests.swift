import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("Calls of Dflat 0.6 on the dictionary")
struct DictionaryApiTests {
  @Test("Values are stored and found in every form")
  func values() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dictionary-api-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("settings.sqlite3").path
    let dflat = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    let settings = Settings(dflat)
    settings.set()
    settings.follow()
    let expected = ["5", "true", "-123", "23", "-2.5", "2.25", "abcde", "zonda", "zonda", "-1"]
    #expect(settings.values() == expected)
    settings.dictionary.synchronize()
    let reopened = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    #expect(Settings(reopened).values() == expected)
    #expect(Settings(reopened).keys().count == 12)
    settings.clear()
    #expect(Settings(reopened).values().suffix(4) == ["none", "none", "none", "-1"])
    settings.removeEverything()
    #expect(settings.keys().isEmpty)
    settings.stop()
    dflat.shutdown()
    reopened.shutdown()
  }
}
