import DflatEngine

/// What a transaction has made of rows. Most transactions change one, for which no table is made.
struct RowStates {
  private var only: (id: RowID, state: RowState)?
  /// All of them, once there are several.
  private var all: [RowID: RowState] = [:]

  var count: Int { only == nil ? all.count : 1 }

  /// What has become of a row; nil if the transaction has not changed it.
  subscript(id: RowID) -> RowState? {
    if let only { return only.id == id ? only.state : nil }
    return all[id]
  }

  mutating func set(_ state: RowState, for id: RowID) {
    if count == 0 || only?.id == id {
      only = (id, state)
    } else {
      if let only { all[only.id] = only.state }
      only = nil
      all[id] = state
    }
  }

  mutating func removeAll() {
    only = nil
    all = [:]
  }
}
