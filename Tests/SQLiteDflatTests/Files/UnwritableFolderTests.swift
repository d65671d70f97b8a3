import EngineTestSupport
import TestSupport

#if compiler(>=6.3) && os(Linux)
  import CSQLite
  import Dflat
  import Foundation
  import Golden_post
  import SQLiteDflat
  import Testing

  @Suite("A process that cannot write a folder reads the commits of its owner")
  struct UnwritableFolderTests {
    /// What the owner does between two fetches of the reader.
    enum Step: CaseIterable {
      /// Opens the file if need be, writes, and keeps it open.
      case write
      /// The same, and closes it, as it is left by an app that ends.
      case writeAndClose
      /// The same, and leaves one file that has no log.
      case writeAndTruncate
      case close
      /// Another file appears in the folder, and goes again: that changes the folder, not the store.
      case touchFolder
    }

    private static let files = FileManager.default

    /// A mailbox of two processes: a folder in which each writes files that the other waits for.
    private struct Mailbox {
      let folder: String

      func send(_ name: String, _ text: String) throws {
        // Under its name, a file is complete.
        let draft = folder + "/draft-" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: draft))
        try UnwritableFolderTests.files.moveItem(atPath: draft, toPath: folder + "/" + name)
      }

      func receive(_ name: String, within seconds: Double = patience) -> String? {
        let path = folder + "/" + name
        guard eventually(within: seconds, { UnwritableFolderTests.files.fileExists(atPath: path) }) else { return nil }
        return UnwritableFolderTests.files.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
      }
    }

    // MARK: The reader

    /// Fetches after each step of the owner until that shows, and answers what it has found.
    private static func read(_ path: String, _ mailbox: Mailbox) throws {
      let errors = Collected<any Error>()
      let workspace = SQLiteWorkspace(
        filePath: path, fileProtectionLevel: .noProtection, errorHandler: { errors.append($0) })
      for number in 0... {
        guard let question = mailbox.receive("question-\(number)"), question != "end" else { break }
        errors.removeAll()
        let isSeen = eventually { titles(workspace) == question }
        // A fetch may fail while the owner opens or closes the file; but not from then on.
        let earlierErrors = errors.values
        errors.removeAll()
        // It stays so: in snapshots, by an index, and of another workspace.
        let again = [
          titles(workspace), workspace.fetchWithinASnapshot { titles(workspace) },
          workspace.fetch(for: Post.self).where(Post.priority == 0).map(\.title).joined(separator: " "),
        ]
        let isRight = isSeen && errors.values.isEmpty && again.allSatisfy { $0 == question }
        let answer =
          isRight ? "right" : "\(again), not \(question); \(earlierErrors.suffix(1)), \(errors.values.prefix(1))"
        try mailbox.send("answer-\(number)", answer)
      }
      workspace.shutdown()
    }

    private static func titles(_ workspace: SQLiteWorkspace) -> String {
      workspace.fetch(for: Post.self).all().map(\.title).joined(separator: " ")
    }

    // MARK: The owner

    /// Writes the store step by step, and asks the reader after each of them.
    private final class Owner {
      let store: TestStore
      let mailbox: Mailbox
      private var workspace: SQLiteWorkspace?
      private var titles: [String] = []
      private var number = 0

      init(_ store: TestStore, _ mailbox: Mailbox) {
        self.store = store
        self.mailbox = mailbox
      }

      func carryOut(_ step: Step) throws {
        switch step {
        case .write: write()
        case .writeAndClose, .writeAndTruncate:
          write()
          workspace?.shutdown(flags: step == .writeAndClose ? [] : .truncate)
          workspace = nil
        case .close:
          workspace?.shutdown()
          workspace = nil
        case .touchFolder:
          try Data().write(to: URL(fileURLWithPath: store.folder + "/other"))
          try files.removeItem(atPath: store.folder + "/other")
        }
      }

      /// Returns what the reader has found wrong; nil if nothing.
      func ask() throws -> String? {
        try mailbox.send("question-\(number)", titles.joined(separator: " "))
        let answer = mailbox.receive("answer-\(number)")
        number += 1
        return answer == "right" ? nil : answer ?? "no answer"
      }

      func end() throws {
        try mailbox.send("question-\(number)", "end")
        workspace?.shutdown()
      }

      private func write() {
        let workspace = workspace ?? store.reopened()
        self.workspace = workspace
        titles.append("w\(titles.count)")
        create(titles.last ?? "", workspace)
      }

      private func create(_ title: String, _ workspace: SQLiteWorkspace) {
        let transaction = PendingTransaction([Post.self], in: workspace) { context in
          context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
        }
        #expect(transaction.outcome() == true)
      }
    }

    /// First what is known to matter, then walks at random.
    private static let walks: [[Step]] =
      [
        [.writeAndClose, .writeAndClose, .writeAndClose, .touchFolder],
        [.writeAndClose, .write, .close, .write, .write, .close],
        [.writeAndTruncate, .writeAndClose, .writeAndTruncate, .write, .touchFolder, .writeAndClose],
        [.write, .writeAndClose, .write, .writeAndTruncate, .write, .close],
      ]
      + LongForm.seeds(2).map { seed in
        var random = SeededGenerator(seed: seed)
        return [.writeAndClose]
          + (0..<LongForm.folderSteps.size).compactMap { _ in Step.allCases.randomElement(using: &random) }
      }

    @Test(
      "Every commit of the owner is read", .enabled(if: geteuid() == 0, "only the administrator is two users"),
      arguments: walks.indices)
    func walk(number: Int) async throws {
      let store = try TestStore()
      let mailbox = Mailbox(folder: store.folder + "-mailbox")
      try UnwritableFolderTests.files.createDirectory(atPath: mailbox.folder, withIntermediateDirectories: true)
      defer { try? UnwritableFolderTests.files.removeItem(atPath: mailbox.folder) }
      try UnwritableFolderTests.files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: mailbox.folder)
      try UnwritableFolderTests.files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: store.folder)
      let problems = Collected<String>()
      let owner = BackgroundThreads { _ in
        let owner = Owner(store, mailbox)
        do {
          for (index, step) in UnwritableFolderTests.walks[number].enumerated() {
            try owner.carryOut(step)
            // The second time nothing has happened in between.
            for _ in 0..<2 {
              guard let problem = try owner.ask() else { continue }
              problems.append("after step \(index), \(step): \(problem)")
            }
            if problems.count > 0 { break }
          }
          try owner.end()
        } catch {
          problems.append("\(error)")
        }
      }
      await #expect(processExitsWith: .success) {
        [path = store.path as String, folder = mailbox.folder as String] in
        precondition(setgid(65534) == 0 && setuid(65534) == 0)
        try await onThread { Result { try UnwritableFolderTests.read(path, Mailbox(folder: folder)) } }.get()
      }
      #expect(await onThread { owner.end() })
      #expect(problems.values.isEmpty)
      // That the file cannot be left without a log while the reader has it open is no failure here.
      #expect(store.errors.values.allSatisfy { ($0 as? SQLiteError)?.code == SQLITE_BUSY }, "\(store.errors.values)")
    }
  }
#endif
