// A part of an app as it was written for Dflat 0.6: how it assembled its queries, made its objects and passed results on.
// This file is not modernised.

import Dflat
import Foundation
import Golden_post
import SQLiteDflat

/// Keeps its posts behind functions that name the store's types.
struct OldPosts {
  let dflat: Workspace

  func post(_ title: String, color: Color?, priority: Int32?, text: String?) -> Post {
    Post(title: title, color: color, priority: priority, content: text.map { .textContent(TextContent(text: $0)) })
  }

  /// What the user of the app has chosen to see.
  func query(color: Color?, isUrgent: Bool, showsAll: Bool) -> AnySQLiteExpr<Bool, Post> {
    var query = AnySQLiteExpr<Bool, Post>(Post.title != "")
    if let color = color {
      query = AnySQLiteExpr(query && Post.color == color)
    }
    if isUrgent { query = AnySQLiteExpr(query && Post.priority > 100) }
    return AnySQLiteExpr(showsAll || query)
  }

  func count<T: Expr & SQLiteExpr>(_ query: T) -> Int where T.ResultType == Bool, T.Element == Post {
    dflat.fetch(for: Post.self).where(query).count
  }

  func titles(of field: FieldExpr<String, Post>, is title: String, orIf flag: Bool) -> [String] {
    let posts = dflat.fetch(for: Post.self).where(field == title || flag, limit: .limit(-1))
    return posts.underlyingArray.map { $0.title }
  }

  func byColor(_ order: OrderBy<Post>) -> [Color] {
    dflat.fetch(for: Post.self).all(orderBy: [order, Post.title.ascending]).map { $0.color }
  }

  func page(_ number: Int, of size: Int) -> ArraySlice<Post> {
    let posts = dflat.fetch(for: Post.self).all(orderBy: [Post.title.ascending])
    return posts[min(number * size, posts.count)..<min((number + 1) * size, posts.count)]
  }

  func renamed(_ post: Post) -> Post {
    var builder = PostBuilder(from: post)
    let former = builder
    builder.title = "renamed " + former.title
    return builder.build()
  }

  var protectionLevels: [Int32] {
    [
      SQLiteWorkspace.FileProtectionLevel.noProtection, .completeFileProtection, .completeFileProtectionUnlessOpen,
      .completeFileProtectionUntilFirstUserAuthentication,
    ].map { $0.rawValue }
  }
}
