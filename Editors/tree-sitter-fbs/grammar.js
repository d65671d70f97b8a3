/**
 * @file The grammar of FlatBuffers schemas, as `dflatc` reads them.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

module.exports = grammar({
  name: "fbs",

  // A form feed or another blank is an error.
  extras: ($) => [/[ \t\r\n]/, $.comment, $.doc_comment, $.block_comment],

  // No keyword is reserved: `table` is a keyword only where a declaration may begin.
  word: ($) => $.identifier,

  rules: {
    source_file: ($) => optional(seq(repeat1($._declaration), optional($.object))),

    // dflatc wants includes first. Here they may stand anywhere, so that one in the wrong place keeps its colors.
    _declaration: ($) =>
      choice(
        $.include_declaration,
        $.namespace_declaration,
        $.attribute_declaration,
        $.root_type_declaration,
        $.file_identifier_declaration,
        $.file_extension_declaration,
        $.table_declaration,
        $.struct_declaration,
        $.enum_declaration,
        $.union_declaration,
        $.service_declaration,
      ),

    include_declaration: ($) => seq(choice("include", "native_include"), field("path", $.string), ";"),

    // `namespace;` leaves the namespace.
    namespace_declaration: ($) => seq("namespace", optional(field("name", $.qualified_name)), ";"),

    attribute_declaration: ($) => seq("attribute", field("name", choice($.string, $.identifier)), ";"),

    root_type_declaration: ($) => seq("root_type", field("type", $.qualified_name), ";"),

    file_identifier_declaration: ($) => seq("file_identifier", field("value", $.string), ";"),

    file_extension_declaration: ($) => seq("file_extension", field("value", $.string), ";"),

    table_declaration: ($) => seq("table", ...structure($)),

    struct_declaration: ($) => seq("struct", ...structure($)),

    field_list: ($) => seq("{", repeat($.field), "}"),

    field: ($) =>
      seq(
        field("name", $.identifier),
        ":",
        field("type", $._type),
        optional(seq("=", field("value", $._value))),
        optional(field("attributes", $.attributes)),
        ";",
      ),

    // dflatc wants the type. Without it, the rest of the enum is clear nevertheless.
    enum_declaration: ($) =>
      seq(
        "enum",
        field("name", $.identifier),
        optional(seq(":", field("type", $._type))),
        optional(field("attributes", $.attributes)),
        field("body", $.enum_value_list),
      ),

    enum_value_list: ($) => seq("{", separated($.enum_value), "}"),

    enum_value: ($) =>
      seq(
        field("name", $.identifier),
        optional(seq("=", field("value", $.integer))),
        optional(field("attributes", $.attributes)),
      ),

    union_declaration: ($) =>
      seq(
        "union",
        field("name", $.identifier),
        optional(seq(":", field("type", $._type))),
        optional(field("attributes", $.attributes)),
        field("body", $.union_member_list),
      ),

    union_member_list: ($) => seq("{", separated($.union_member), "}"),

    // `Post`, or `post: Post`, which gives the member a name of its own.
    union_member: ($) =>
      seq(
        choice(
          field("type", $.qualified_name),
          seq(field("name", $.qualified_name), ":", field("type", $._type)),
        ),
        optional(seq("=", field("value", $.integer))),
        optional(field("attributes", $.attributes)),
      ),

    service_declaration: ($) =>
      seq(
        "rpc_service",
        field("name", $.identifier),
        optional(field("attributes", $.attributes)),
        field("body", $.method_list),
      ),

    method_list: ($) => seq("{", repeat($.method), "}"),

    method: ($) =>
      seq(
        field("name", $.identifier),
        "(",
        field("request", $.qualified_name),
        ")",
        ":",
        field("response", $.qualified_name),
        optional(field("attributes", $.attributes)),
        ";",
      ),

    // `(id: 3, "deprecated")`
    attributes: ($) => seq("(", optional(seq($.attribute, repeat(seq(",", $.attribute)))), ")"),

    attribute: ($) =>
      seq(field("name", choice($.identifier, $.string)), optional(seq(":", field("value", $._value)))),

    _type: ($) => choice($.qualified_name, $.vector_type, $.array_type),

    vector_type: ($) => seq("[", field("element", $._type), "]"),

    array_type: ($) => seq("[", field("element", $._type), ":", field("length", $.integer), "]"),

    qualified_name: ($) => seq($.identifier, repeat(seq(".", $.identifier))),

    _value: ($) => choice($._simple_value, $.empty_vector),

    _simple_value: ($) => choice($.integer, $.float, $.string, $.identifier, $.signed_name, $.call),

    empty_vector: (_) => seq("[", "]"),

    // `rad(180)`. With a blank before the parenthesis, attributes follow.
    call: ($) =>
      seq(
        field("function", $.identifier),
        alias(token.immediate(prec(1, "(")), "("),
        field("argument", $._value),
        ")",
      ),

    // `-inf`
    signed_name: (_) => /[+\-][A-Za-z_][A-Za-z0-9_]*/,

    // The JSON object at the end of a schema.
    object: ($) => seq("{", separated($.pair), "}"),

    pair: ($) => seq(field("key", choice($.identifier, $.string)), ":", field("value", $._json_value)),

    list: ($) => seq("[", separated($._json_value), "]"),

    _json_value: ($) => choice($.object, $.list, $._simple_value),

    identifier: (_) => /[A-Za-z_][A-Za-z0-9_]*/,

    integer: (_) => token(seq(optional(/[+\-]/), choice(/[0-9]+/, /0[xX][0-9A-Fa-f]+/))),

    // A hexadecimal fraction needs an exponent.
    float: (_) =>
      token(
        seq(
          optional(/[+\-]/),
          choice(
            seq(choice(/[0-9]+\.[0-9]*/, /\.[0-9]+/), optional(/[eE][+\-]?[0-9]+/)),
            /[0-9]+[eE][+\-]?[0-9]+/,
            seq(
              /0[xX]/,
              choice(/[0-9A-Fa-f]+\.?[0-9A-Fa-f]*/, /\.[0-9A-Fa-f]+/),
              /[pP][+\-]?[0-9]+/,
            ),
          ),
        ),
      ),

    string: ($) => choice(quoted($, '"', /[^"\\\x00-\x1F]+/), quoted($, "'", /[^'\\\x00-\x1F]+/)),

    escape_sequence: (_) => token.immediate(seq("\\", choice(/[ntrbf"'\\\/]/, /x[0-9A-Fa-f]{2}/, /u[0-9A-Fa-f]{4}/))),

    comment: (_) => token(seq("//", optional(seq(/[^\/\r\n]/, /[^\r\n]*/)))),

    doc_comment: (_) => token(seq("///", /[^\r\n]*/)),

    // Comments do not nest.
    block_comment: (_) => token(seq("/*", /[^*]*\*+([^\/*][^*]*\*+)*/, "/")),
  },
});

/** A table or struct after its keyword. */
function structure($) {
  return [
    field("name", $.identifier),
    optional(field("attributes", $.attributes)),
    field("body", $.field_list),
  ];
}

/** Entries with commas between them. The last one may have a comma, too. */
function separated(entry) {
  return optional(seq(entry, repeat(seq(",", entry)), optional(",")));
}

/** A string between two quotes, on one line. */
function quoted($, quote, content) {
  return seq(
    quote,
    repeat(choice(alias(token.immediate(prec(1, content)), $.string_content), $.escape_sequence)),
    token.immediate(quote),
  );
}
