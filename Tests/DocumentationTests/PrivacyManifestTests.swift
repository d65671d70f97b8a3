import Foundation
import TestSupport
import Testing

/// Apple's App Store wants a reason for calls of some APIs, in a file `PrivacyInfo.xcprivacy` of the module that calls them.
///
/// https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api
@Suite("The privacy manifest")
struct PrivacyManifestTests {
  /// The modules that run in an app, each in a folder of its name.
  private static let modules = [
    "FlatBuffersCore", "TextFolding", "Dflat", "DflatPublishers", "DflatEngine", "SQLiteDflat", "PostgresLayout",
    "PostgresDflat",
  ]

  private static func folder(of module: String) -> URL {
    packageFolder.appending(path: "Sources/DflatRuntime/\(module)")
  }

  private static func calledCategories(by module: String) throws -> Set<RequiredReason> {
    let folder = folder(of: module)
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    try #require(!files.isEmpty)
    return try files.reduce(into: []) { found, file in
      found.formUnion(RequiredReason.called(by: try String(contentsOf: folder.appending(path: file), encoding: .utf8)))
    }
  }

  @Test("The list of modules names each folder of the runtime")
  func aListedModuleIsEachFolderOfTheRuntime() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder(of: "").path)
    #expect(folders.filter { !$0.hasPrefix(".") }.sorted() == Self.modules.sorted())
  }

  @Test("Each module's manifest declares exactly the categories of API that the module calls", arguments: modules)
  func itDeclaresTheCategoriesThatItsModuleCalls(_ module: String) throws {
    let called = try Self.calledCategories(by: module)
    let file = Self.folder(of: module).appending(path: "PrivacyInfo.xcprivacy")
    guard FileManager.default.fileExists(atPath: file.path) else {
      #expect(called.isEmpty, "\(module) needs a PrivacyInfo.xcprivacy")
      return
    }
    let manifest = try PropertyListDecoder().decode(PrivacyManifest.self, from: Data(contentsOf: file))
    let declared = manifest.apis.map(\.category)
    #expect(Set(declared).count == declared.count)
    #expect(Set(declared) == Set(called.map(\.name)))
    for api in manifest.apis {
      let category = try #require(RequiredReason.allCases.first { $0.name == api.category })
      #expect(!api.reasons.isEmpty && category.reasons.isSuperset(of: api.reasons), "\(api)")
    }
    #expect(!manifest.isTracking && manifest.trackingDomains.isEmpty && manifest.collectedDataTypes.isEmpty)
  }

  @Test("SQLiteDflat calls only one category of API that needs a reason: file timestamps")
  func theStoreAsksForMetadataOfFilesAndForNothingElse() throws {
    #expect(try Self.calledCategories(by: "SQLiteDflat") == [.fileTimestamp])
  }

  /// A manifest that is no resource of its target is not part of the app.
  @Test(
    "A target lists its privacy manifest as a resource exactly if it has one",
    arguments: ["Package.swift", "Packaging/bundle/Package.swift"])
  func itIsAResourceOfItsTarget(_ path: String) throws {
    let package = try String(contentsOf: packageFolder.appending(path: path), encoding: .utf8)
    let targets = package.components(separatedBy: "arget(")
    for module in Self.modules {
      let target = try #require(targets.first { $0.contains("path: \"Sources/DflatRuntime/\(module)\"") })
      let file = Self.folder(of: module).appending(path: "PrivacyInfo.xcprivacy")
      let isThere = FileManager.default.fileExists(atPath: file.path)
      #expect(target.contains("resources: [.copy(\"PrivacyInfo.xcprivacy\")]") == isThere, "\(module)")
    }
  }

  @Test(
    "A call that needs a reason is recognized",
    arguments: [
      ("if stat(path, &status) == 0 {}", RequiredReason.fileTimestamp), ("_ = Darwin.lstat(a, &b)", .fileTimestamp),
      ("files.attributesOfItem(atPath: a)[.modificationDate]", .fileTimestamp), ("a[.creationDate]", .fileTimestamp),
      ("a.resourceValues(forKeys: [.contentModificationDateKey])", .fileTimestamp),
      ("fstatvfs(a, &b)", .diskSpace), ("a[.systemFreeSize]", .diskSpace),
      ("a.resourceValues(forKeys: [.volumeAvailableCapacityKey])", .diskSpace),
      ("let a = mach_absolute_time()", .systemBootTime), ("ProcessInfo.processInfo.systemUptime", .systemBootTime),
      ("UITextInputMode.activeInputModes", .activeKeyboards), ("UserDefaults.standard", .userDefaults),
      ("@AppStorage(\"a\") var a = 0", .userDefaults),
    ])
  func aCallIsFound(_ code: String, _ category: RequiredReason) {
    #expect(RequiredReason.called(by: code).contains(category))
  }

  @Test(
    "Code that only resembles such a call is not taken for one",
    arguments: [
      "var status = stat()", "// stat(path, &status)", "/// Calls `fstat(a, &b)`.", "upstat(a)", "DispatchTime.now()",
      "clock_gettime(CLOCK_REALTIME, &a)", "let myUserDefaultsLike = 1",
    ])
  func otherCodeCallsNone(_ code: String) {
    #expect(RequiredReason.called(by: code).isEmpty)
  }
}

/// What a privacy manifest says.
private struct PrivacyManifest: Decodable {
  struct API: Decodable {
    let category: String
    let reasons: [String]

    enum CodingKeys: String, CodingKey {
      case category = "NSPrivacyAccessedAPIType"
      case reasons = "NSPrivacyAccessedAPITypeReasons"
    }
  }

  let isTracking: Bool
  let trackingDomains: [String]
  let collectedDataTypes: [[String: String]]
  let apis: [API]

  enum CodingKeys: String, CodingKey {
    case isTracking = "NSPrivacyTracking"
    case trackingDomains = "NSPrivacyTrackingDomains"
    case collectedDataTypes = "NSPrivacyCollectedDataTypes"
    case apis = "NSPrivacyAccessedAPITypes"
  }
}
