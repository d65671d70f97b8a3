; No node gets two names, so the order of the patterns does not matter to any editor.

[
  "attribute"
  "enum"
  "file_extension"
  "file_identifier"
  "namespace"
  "root_type"
  "rpc_service"
  "struct"
  "table"
  "union"
] @keyword

[
  "include"
  "native_include"
] @keyword.import

; Definitions

(table_declaration name: (identifier) @type)
(struct_declaration name: (identifier) @type)
(enum_declaration name: (identifier) @type)
(union_declaration name: (identifier) @type)
(service_declaration name: (identifier) @type)
(field name: (identifier) @property)
(enum_value name: (identifier) @constant)
(method name: (identifier) @function.method)
(attribute_declaration name: (identifier) @attribute)
(attribute name: (identifier) @attribute)
(pair key: (identifier) @property)

; Names of types, and the namespaces before them

(qualified_name (identifier) @module . ".")

(namespace_declaration name: (qualified_name (identifier) @module .))

(root_type_declaration type: (qualified_name (identifier) @type .))
(method request: (qualified_name (identifier) @type .))
(method response: (qualified_name (identifier) @type .))
(union_member name: (qualified_name (identifier) @type .))

([
  (field type: (qualified_name (identifier) @type.builtin .))
  (enum_declaration type: (qualified_name (identifier) @type.builtin .))
  (union_declaration type: (qualified_name (identifier) @type.builtin .))
  (union_member type: (qualified_name (identifier) @type.builtin .))
  (vector_type element: (qualified_name (identifier) @type.builtin .))
  (array_type element: (qualified_name (identifier) @type.builtin .))
] (#match? @type.builtin "^(bool|u?byte|u?short|u?int|u?long|float|double|u?int(8|16|32|64)|float(32|64)|string)$"))

([
  (field type: (qualified_name (identifier) @type .))
  (enum_declaration type: (qualified_name (identifier) @type .))
  (union_declaration type: (qualified_name (identifier) @type .))
  (union_member type: (qualified_name (identifier) @type .))
  (vector_type element: (qualified_name (identifier) @type .))
  (array_type element: (qualified_name (identifier) @type .))
] (#not-match? @type "^(bool|u?byte|u?short|u?int|u?long|float|double|u?int(8|16|32|64)|float(32|64)|string)$"))

; Values

(integer) @number
(float) @number.float
(signed_name) @constant.builtin
(call function: (identifier) @function)

([
  (field value: (identifier) @boolean)
  (attribute value: (identifier) @boolean)
  (pair value: (identifier) @boolean)
  (call argument: (identifier) @boolean)
  (list (identifier) @boolean)
] (#match? @boolean "^(true|false)$"))

([
  (field value: (identifier) @constant.builtin)
  (attribute value: (identifier) @constant.builtin)
  (pair value: (identifier) @constant.builtin)
  (call argument: (identifier) @constant.builtin)
  (list (identifier) @constant.builtin)
] (#match? @constant.builtin "^(null|inf|infinity|nan)$"))

([
  (field value: (identifier) @constant)
  (attribute value: (identifier) @constant)
  (pair value: (identifier) @constant)
  (call argument: (identifier) @constant)
  (list (identifier) @constant)
] (#not-match? @constant "^(true|false|null|inf|infinity|nan)$"))

(string) @string
(escape_sequence) @string.escape

; Signs

[
  "{"
  "}"
  "("
  ")"
  "["
  "]"
] @punctuation.bracket

[
  ","
  "."
  ":"
  ";"
] @punctuation.delimiter

"=" @operator

[
  (comment)
  (block_comment)
] @comment

(doc_comment) @comment.documentation
