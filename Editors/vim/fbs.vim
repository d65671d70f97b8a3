" FlatBuffers schemas in Vim 9 with the plugin yegappan/lsp. Put it into ~/.vim/plugin/.

autocmd BufRead,BufNewFile *.fbs setfiletype fbs
autocmd FileType fbs setlocal commentstring=//\ %s

function! s:AddServer() abort
  call LspAddServer([#{
    \ name: 'dflatc', filetype: ['fbs'], path: 'dflatc', args: ['lsp'],
    \ rootSearch: ['.dflatc.json', '.git/'] }])
endfunction

" The plugin is there already after `packadd lsp` in a vimrc. Otherwise, Vim loads it after this file, and it then has this event.
if exists('*LspAddServer')
  call s:AddServer()
else
  autocmd User LspSetup call s:AddServer()
endif
