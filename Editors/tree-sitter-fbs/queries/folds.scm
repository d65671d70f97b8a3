[
  (field_list)
  (enum_value_list)
  (union_member_list)
  (method_list)
  (object)
  (list)
  (block_comment)
] @fold
