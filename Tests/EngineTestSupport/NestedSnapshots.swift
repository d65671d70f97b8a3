import Dflat
import Golden_post
import Testing

/// Checks that snapshots of two workspaces, each empty and of any engine, nest: inside of both, each shows its own moment.
package func checkNestedSnapshots(of one: any Workspace, _ two: any Workspace) {
  func add(_ title: String) {
    for workspace in [one, two] {
      let isStored = Gate()
      workspace.performChanges([Post.self]) { transaction in
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
      } completionHandler: { success in
        #expect(success)
        isStored.open()
      }
      #expect(isStored.wait())
    }
  }
  func counts() -> [Int] { [one, two].map { $0.fetch(for: Post.self).count() } }

  add("before")
  one.fetchWithinASnapshot {
    #expect(counts() == [1, 1])
    add("in the outer")
    two.fetchWithinASnapshot {
      #expect(counts() == [1, 2])
      add("in the inner")
      #expect(counts() == [1, 2])
      // It is that of the outer one.
      one.fetchWithinASnapshot { #expect(counts() == [1, 2]) }
      #expect(counts() == [1, 2])
    }
    #expect(counts() == [1, 3])
  }
  #expect(counts() == [3, 3])

  struct Failure: Error {}
  #expect(throws: Failure.self) { try one.fetchWithinASnapshot { throw Failure() } }
  add("after")
  #expect(counts() == [4, 4])
}
