" FlatBuffers schemas in Vim 9 with the plugin yegappan/lsp. Put it into ~/.vim/plugin/.

autocmd BufRead,BufNewFile *.fbs setfiletype fbs
autocmd FileType fbs setlocal commentstring=//\ %s

if exists('*LspAddServer')
  call LspAddServer([#{
    \ name: 'dflatc', filetype: ['fbs'], path: 'dflatc', args: ['lsp'],
    \ rootSearch: ['.dflatc.json', '.git/'] }])
endif
