import Dflat
import Testing

/// Checks that an engine takes a number that is NaN by default for NULL, in its index too.
package struct DefaultNaNChecks {
  private let workspace: any Workspace
  private let errors: Collected<any Error>

  /// - Parameters:
  ///   - workspace: has no probes.
  ///   - errors: what its error handler was told.
  package init(_ workspace: any Workspace, _ errors: Collected<any Error>) {
    self.workspace = workspace
    self.errors = errors
  }

  /// Stores two probes with the default, of which a unique index allows any number, and two others.
  package func store() {
    let transaction = PendingTransaction([Probe.self], in: workspace) { context in
      for id in [1, 2] as [Int64] { context.try(submit: ProbeRequest(.create, id: id)) }
      context.try(submit: ProbeRequest(.create, id: 3, depth: -1.5))
      context.try(submit: ProbeRequest(.create, id: 4, depth: 7))
    }
    #expect(transaction.outcome() == true, "\(errors.values)")
  }

  /// Expects that the index finds the stored probes. It must be complete.
  package func check() throws {
    let probes = workspace.fetch(for: Probe.self)
    #expect(probes.all().map(\.id).sorted() == [1, 2, 3, 4])
    let conditions: [(QueryExpression<Bool, Probe>, ids: [Int64])] = [
      (Probe.depth > -2, [3, 4]), (Probe.depth < 0, [3]), (Probe.depth.isNull, [1, 2]),
    ]
    for (condition, ids) in conditions {
      #expect(probes.where(condition).map(\.id).sorted() == ids, "\(condition._node)")
      #expect(probes.count(where: condition) == ids.count, "\(condition._node)")
      #expect(try probes.explain(where: condition).access == .index(["depth"]), "\(condition._node)")
    }
    #expect(errors.values.isEmpty, "\(errors.values)")
  }
}
