// `dflatc.json` says that the app declares the namespaces of the schemas.

enum Game {}

typealias Player = Game.Player
typealias PlayerChangeRequest = Game.PlayerChangeRequest
typealias Team = Game.Team
