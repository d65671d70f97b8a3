/// The strongly connected components of a graph: two nodes are in the same one if each can be reached from the other.
///
/// Found by Tarjan's algorithm, without recursion, since a chain of tables may be as long as the schema.
struct Components {
  /// The component of each node.
  private let component: [Int]
  /// Whether a component holds a cycle: several nodes, or one with an edge to itself.
  private let hasCycle: [Bool]

  /// Finds the components of a graph, given the targets of each node's edges.
  init(_ edges: [[Int]]) {
    var component = [Int](repeating: -1, count: edges.count)
    var hasCycle: [Bool] = []
    var order = [Int](repeating: -1, count: edges.count)
    var lowest = order
    var open: [Int] = []
    var visited = 0
    for start in edges.indices where order[start] < 0 {
      var path: [(node: Int, next: Int)] = [(start, 0)]
      while let (node, next) = path.last {
        if next == 0 {
          order[node] = visited
          lowest[node] = visited
          visited += 1
          open.append(node)
        }
        if next < edges[node].count {
          path[path.count - 1].next += 1
          let target = edges[node][next]
          if order[target] < 0 {
            path.append((target, 0))
          } else if component[target] < 0 {
            lowest[node] = min(lowest[node], order[target])
          }
          continue
        }
        path.removeLast()
        if let parent = path.last?.node { lowest[parent] = min(lowest[parent], lowest[node]) }
        guard lowest[node] == order[node] else { continue }
        var size = 0
        while let member = open.popLast() {
          component[member] = hasCycle.count
          size += 1
          if member == node { break }
        }
        hasCycle.append(size > 1 || edges[node].contains(node))
      }
    }
    self.component = component
    self.hasCycle = hasCycle
  }

  /// Returns whether an edge from `source` to `target` is part of a cycle.
  func isCyclic(from source: Int, to target: Int) -> Bool {
    component[source] == component[target] && hasCycle[component[source]]
  }

  /// The nodes, each after all that can be reached from it, except those that form a cycle with it.
  var nodesInOrder: [Int] {
    // Tarjan's algorithm ends a component once all components that it leads to have ended.
    component.indices.sorted { (component[$0], $0) < (component[$1], $1) }
  }

  /// Returns whether a node is part of a cycle.
  func isCyclic(_ node: Int) -> Bool { hasCycle[component[node]] }
}
