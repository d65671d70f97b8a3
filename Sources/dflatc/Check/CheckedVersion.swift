/// One of the two versions that `dflatc check` compares.
enum CheckedVersion: String {
  case old = "OLD"
  case new = "NEW"
}
