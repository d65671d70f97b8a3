(table_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.class
(enum_declaration name: (identifier) @name) @definition.class
(union_declaration name: (identifier) @name) @definition.class
(service_declaration name: (identifier) @name) @definition.interface
(method name: (identifier) @name) @definition.method
(root_type_declaration type: (qualified_name (identifier) @name .)) @reference.class
(field type: (qualified_name (identifier) @name .)) @reference.class
(vector_type element: (qualified_name (identifier) @name .)) @reference.class
(array_type element: (qualified_name (identifier) @name .)) @reference.class
