/// A schema with every kind of field in the wire format, for flatc.
let everythingSchema = """
  enum Kind: byte { A, B = 3, C }
  struct Vec3 { x: float; y: float; z: float; }
  struct Mixed { flag: bool; at: Vec3; id: ulong; small: short; codes: [ubyte:3]; }
  table Leaf { name: string; value: int = 5; }
  table Node { label: string; children: [Node]; }
  union Any { Leaf, Node, Vec3, text: string }
  table Everything {
    b: bool;
    i8: byte;
    i16: short;
    i32: int;
    i64: long;
    u8: ubyte;
    u16: ushort;
    u32: uint;
    u64: ulong;
    f32: float;
    f64: double;
    maybe_bool: bool = null;
    maybe_int: int = null;
    maybe_double: double = null;
    answer: int = 42;
    half: double = 0.5;
    name: string (required);
    alias: string;
    kind: Kind = B;
    position: Vec3;
    mixed: Mixed;
    bytes: [ubyte];
    shorts: [short];
    longs: [long];
    doubles: [double];
    bools: [bool];
    kinds: [Kind];
    strings: [string];
    points: [Vec3];
    mixes: [Mixed];
    leaves: [Leaf];
    leaf: Leaf;
    node: Node;
    any: Any;
    anys: [Any];
    nested: [ubyte] (nested_flatbuffer: "Leaf");
  }
  root_type Everything;
  file_identifier "EVRY";
  """
