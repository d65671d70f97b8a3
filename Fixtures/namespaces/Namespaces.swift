// The enums that stand for the schema's namespaces, as an app declares them.

public enum Zoo {
  public enum Animals {}
}
