(field_list "}" @end) @indent
(enum_value_list "}" @end) @indent
(union_member_list "}" @end) @indent
(method_list "}" @end) @indent
(object "}" @end) @indent
(list "]" @end) @indent
