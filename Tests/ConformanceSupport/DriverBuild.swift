import FBSSchema
import Foundation
import TestSupport

/// JSON without the spaces between its parts.
package func withoutSpaces(_ json: [UInt8]) -> String {
  var result: [UInt8] = []
  var isInString = false
  var isEscaped = false
  for byte in json {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = true
      } else if byte == 0x22 {
        isInString = false
      }
      result.append(byte)
    } else if byte != 0x20, byte != 0x0A {
      isInString = byte == 0x22
      result.append(byte)
    }
  }
  return String(decoding: result, as: UTF8.self)
}

/// Builds, as one module at once, which takes a third of the time that file by file does, the Swift program `driver` of sources in `folder`, with modules that the build of the tests has made.
package func buildSwift(_ sources: [String], modules: [String], more: [String] = [], in folder: URL) throws {
  let root = packageFolder.appendingPathComponent("Sources")
  let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
  // `make -C Quality mutate` adds a module, which all others use.
  let added = ProcessInfo.processInfo.environment["DFLAT_ADDED_MODULE"].map { [$0] } ?? []
  var inputs = try (modules + added).flatMap { module in
    // A build leaves the objects of files that are there no longer, or are in another module.
    let sources = paths.filter { $0.hasPrefix("\(module)/") || $0.contains("/\(module)/") }
    // One of a module's folders may be a symbolic link.
    let linked = sources.filter { !$0.hasSuffix(".swift") }.flatMap {
      (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent($0).path)) ?? []
    }
    let compiled = Set((sources + linked).map { URL(fileURLWithPath: $0).lastPathComponent + ".o" })
    return try builtObjects(of: module) { compiled.contains($0) || added.contains(module) && $0.hasSuffix(".swift.o") }
  }
  #if !canImport(Combine)
    if modules.contains("DflatPublishers") {
      // It needs OpenCombine, whose locks are written in C++.
      for module in ["OpenCombine", "COpenCombineHelpers"] {
        inputs += try builtObjects(of: module) { $0.hasSuffix(".o") }
      }
      let map = productsFolder.appendingPathComponent("COpenCombineHelpers.build/module.modulemap").path
      inputs += ["-lstdc++", "-Xcc", "-fmodule-map-file=\(map)"]
    }
  #endif
  try runTool(
    "swiftc",
    [
      "-Onone", "-wmo", "-swift-version", "6", "-warnings-as-errors", "-module-name", "Driver", "-o", "driver", "-I",
      productsFolder.appendingPathComponent("Modules").path,
    ] + more + sources + inputs,
    in: folder, seconds: 900)
}

/// The paths of a module's object files whose names meet a condition.
private func builtObjects(of module: String, where condition: (String) -> Bool) throws -> [String] {
  let built = productsFolder.appendingPathComponent("\(module).build")
  return try FileManager.default.contentsOfDirectory(atPath: built.path).filter(condition)
    .map { built.appendingPathComponent($0).path }
}
