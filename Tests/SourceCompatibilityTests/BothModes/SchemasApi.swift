// Generated code for what the schema of the posts does not hold: namespaces, nested tables and structs, vectors of unions and
// versions. The page Documentation/api-of-dflat-0.6.md quotes these lines, and a test looks for what it quotes. This file is
// not modernised.

import Dflat
import FlatBuffersCore
import Golden_namespaces
import Golden_structs
import SQLiteDflat

struct SchemasApi {
  // MARK: Namespaces and nested tables

  func animal(_ id: Int32, _ first: String?) -> Zoo.Animals.Animal {
    Zoo.Animals.Animal(id: id, name: Zoo.Animals.Name(first: first), diet: nil, home: .zooCage(Zoo.Cage(number: 7)))
  }

  func isCalled(_ first: String) -> AnySQLiteExpr<Bool, Zoo.Animals.Animal> {
    AnySQLiteExpr(Zoo.Animals.Animal.name.first == first)
  }

  func create(_ animal: Zoo.Animals.Animal) -> Zoo.Animals.AnimalChangeRequest {
    Zoo.Animals.AnimalChangeRequest.creationRequest(animal)
  }

  // MARK: Structs

  func isAtOrigin() -> AnySQLiteExpr<Bool, Body> { AnySQLiteExpr(Body.origin.x == 0 && Body.origin.y == 0) }

  func move(_ position: Vec3?, by x: Float?) -> Vec3 {
    var moved = position ?? Vec3(x: 0, y: nil, z: nil)
    moved.x += x ?? 0
    return moved
  }

  func copy(_ position: Vec3) -> Vec3 { Vec3.from(data: position.toData()) }
}
