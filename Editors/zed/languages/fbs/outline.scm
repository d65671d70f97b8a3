(table_declaration "table" @context name: (identifier) @name) @item
(struct_declaration "struct" @context name: (identifier) @name) @item
(enum_declaration "enum" @context name: (identifier) @name) @item
(union_declaration "union" @context name: (identifier) @name) @item
(service_declaration "rpc_service" @context name: (identifier) @name) @item
(field name: (identifier) @name) @item
(enum_value name: (identifier) @name) @item
(method name: (identifier) @name) @item
