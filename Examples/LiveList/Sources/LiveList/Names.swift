/// The namespace of the schemas. `dflatc.json` says that the app declares it: as a public enum, since the generated types are
/// public.
public enum Game {}

typealias Player = Game.Player
typealias PlayerChangeRequest = Game.PlayerChangeRequest
typealias Team = Game.Team
