// Vectors of unions, and versions of schemas. The page Documentation/api-of-dflat-0.6.md quotes these lines, and a test looks
// for what it quotes. This file is not modernised.

import Dflat
import Golden_contents
import Golden_scalars
import SQLiteDflat

struct ContentsApi {
  func texts(_ page: Page) -> [String] {
    let items: [Item] = page.items
    return items.compactMap { item in
      switch item {
      case .note(let note), .warning(let note): return note.text
      case .text(let text), .link(let text): return text
      case .point: return nil
      }
    }
  }

  func version() -> String? { Sample.flatBuffersSchemaVersion }
}
