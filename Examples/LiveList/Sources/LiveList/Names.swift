// The types of the schemas, which stand in the namespace `Game`.

typealias Player = Game.Player
typealias PlayerChangeRequest = Game.PlayerChangeRequest
typealias Team = Game.Team
