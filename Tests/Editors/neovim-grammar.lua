-- Runs the queries of the tree-sitter grammar in `nvim --headless`. GRAMMAR is the grammar's folder, LIBRARY its parser.
-- Scripts/test-editors.sh runs this.

local function main()
  -- Neovim 0.9 renamed both.
  local add = vim.treesitter.language and vim.treesitter.language.add
  if add then
    add("fbs", { path = os.getenv("LIBRARY") })
  else
    vim.treesitter.require_language("fbs", os.getenv("LIBRARY"))
  end
  local parse = vim.treesitter.query.parse or vim.treesitter.parse_query

  local text = table.concat({
    "table Post {",
    "  color: A.Color = Red (id: 1);",
    "  on: bool = true; // x",
    "}",
  }, "\n")
  vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(text, "\n"))
  local root = vim.treesitter.get_parser(0, "fbs"):parse()[1]:root()
  assert(not root:has_error(), "the schema has a syntax error")

  local function captures(name)
    local file = assert(io.open(os.getenv("GRAMMAR") .. "/queries/" .. name .. ".scm"))
    local query = parse("fbs", file:read("*a"))
    file:close()
    local found = {}
    for id, node in query:iter_captures(root, 0, 0, -1) do
      local row, first, last_row, last = node:range()
      local lines = vim.api.nvim_buf_get_text(0, row, first, last_row, last, {})
      if not query.captures[id]:find("^punctuation") then
        table.insert(found, lines[1] .. " " .. query.captures[id])
      end
    end
    return table.concat(found, "\n")
  end

  local highlights = {
    "table keyword",
    "Post type",
    "color property",
    "A module",
    "Color type",
    "= operator",
    "Red constant",
    "id attribute",
    "1 number",
    "on property",
    "bool type.builtin",
    "= operator",
    "true boolean",
    "// x comment",
  }
  local found = captures("highlights")
  assert(found == table.concat(highlights, "\n"), found)
  assert(captures("folds") == "{ fold", captures("folds"))
end

local ok, message = pcall(main)
print(ok and "tree-sitter: all done" or ("tree-sitter: " .. message))
vim.cmd(ok and "qall!" or "cquit!")
