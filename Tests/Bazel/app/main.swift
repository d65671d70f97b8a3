import Dflat
import Foundation
import Models
import SQLiteDflat

// Stores an object of each schema, and prints what it finds.
let workspace = SQLiteWorkspace(filePath: CommandLine.arguments[1], fileProtectionLevel: .noProtection)
workspace.performChanges([Blog.Post.self, Tag.self, Note.self]) { context in
  let post = Blog.PostChangeRequest.creationRequest()
  post.title = "First"
  post.priority = 3
  post.author = Blog.Author(name: "Ada")
  context.try(submit: post)
  let tag = TagChangeRequest.creationRequest()
  tag.name = "news"
  context.try(submit: tag)
  let note = NoteChangeRequest.creationRequest()
  note.text = "built"
  context.try(submit: note)
}
workspace.shutdown()

let again = SQLiteWorkspace(filePath: CommandLine.arguments[1], fileProtectionLevel: .noProtection)
for post in again.fetch(for: Blog.Post.self).where(Blog.Post.priority > 2) {
  print(post.title, post.author?.name ?? "nobody")
}
print(again.fetch(for: Tag.self).all().map(\.name), again.fetch(for: Note.self).all().map(\.text))
again.shutdown()
