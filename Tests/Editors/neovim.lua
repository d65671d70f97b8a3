-- Runs in `nvim --headless`, in a folder with broken.fbs and base.fbs, with DFLATC and PACKAGE in the environment: a person opens
-- a schema with a mistake, sees it, applies the fix, saves, and follows an include.

local function fail(message)
  io.stderr:write("neovim: " .. message .. "\n")
  vim.cmd("cquit 1")
end

local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then
    fail("no " .. what)
  end
end

local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000) or {}
  for id, answer in pairs(answers) do
    return answer.result, vim.lsp.get_client_by_id(id).offset_encoding or "utf-16"
  end
  fail("no answer to " .. method)
end

local function main()
  vim.g.dflatc_command = { os.getenv("DFLATC"), "lsp" }
  dofile(os.getenv("PACKAGE") .. "/Editors/neovim/dflatc.lua")
  vim.cmd("edit broken.fbs")
  wait("diagnostic", function()
    return #vim.diagnostic.get(0) > 0
  end)
  local diagnostic = vim.diagnostic.get(0)[1]
  if diagnostic.severity ~= vim.diagnostic.severity.ERROR or diagnostic.source ~= "dflatc" then
    fail("another diagnostic: " .. vim.inspect(diagnostic))
  end
  if not diagnostic.message:find("`;` is missing", 1, true) then
    fail("another message: " .. diagnostic.message)
  end

  local params = vim.lsp.util.make_range_params()
  params.range = {
    start = { line = diagnostic.lnum, character = diagnostic.col },
    ["end"] = { line = diagnostic.lnum, character = diagnostic.col },
  }
  params.context = { diagnostics = {} }
  local actions, encoding = request("textDocument/codeAction", params)
  if not actions or #actions == 0 then
    fail("no fix")
  end
  vim.lsp.util.apply_workspace_edit(actions[1].edit, encoding)
  wait("end of the diagnostics", function()
    return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) == 0
  end)

  vim.cmd("write")
  local file = io.open("broken.fbs")
  local text = file:read("*a")
  file:close()
  local expected = 'include "base.fbs";\n\ntable Holder {\n  base: Base;\n  count: int;\n}\n'
  if text ~= expected then
    fail("the file is not laid out: " .. text)
  end

  vim.api.nvim_win_set_cursor(0, { 4, 9 })
  local locations, unit = request("textDocument/definition", vim.lsp.util.make_position_params())
  vim.lsp.util.jump_to_location(locations[1], unit)
  if vim.fn.expand("%:t") ~= "base.fbs" or vim.api.nvim_win_get_cursor(0)[1] ~= 2 then
    fail("the definition is not in the include: " .. vim.fn.expand("%"))
  end
end

local ok, message = pcall(main)
if not ok then
  fail(message)
end
print("neovim: all done\n")
vim.cmd("qall!")
