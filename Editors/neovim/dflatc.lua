-- FlatBuffers schemas in Neovim 0.7 and newer. Load it from init.lua: dofile("/path/to/Editors/neovim/dflatc.lua")
-- vim.g.dflatc_command names another program, and vim.g.dflatc_options has initialization options.

vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, { pattern = "*.fbs", command = "setfiletype fbs" })

local client_id

local function start(buffer)
  local config = {
    name = "dflatc",
    cmd = vim.g.dflatc_command or { "dflatc", "lsp" },
    root_dir = vim.fn.getcwd(),
    init_options = vim.g.dflatc_options or vim.empty_dict(),
  }
  if vim.lsp.start then
    return vim.lsp.start(config, { bufnr = buffer })
  end
  client_id = client_id or vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(buffer, client_id)
end

vim.api.nvim_create_autocmd("FileType", {
  pattern = "fbs",
  callback = function(event)
    vim.bo[event.buf].commentstring = "// %s"
    start(event.buf)
  end,
})

-- Lay schemas out when they are saved.
vim.api.nvim_create_autocmd("BufWritePre", {
  pattern = "*.fbs",
  callback = function()
    -- A text with syntax errors is left alone, which is no reason for a message at each save.
    local params = vim.lsp.util.make_formatting_params({})
    local answers = vim.lsp.buf_request_sync(0, "textDocument/formatting", params, 1000) or {}
    for id, answer in pairs(answers) do
      local client = vim.lsp.get_client_by_id(id)
      if answer.result and client then
        vim.lsp.util.apply_text_edits(answer.result, 0, client.offset_encoding or "utf-16")
      end
    end
  end,
})
