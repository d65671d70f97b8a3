;;; dflatc.el --- FlatBuffers schemas in Emacs 29 and newer, with eglot  -*- lexical-binding: t -*-
;; Load it from your init file: (load "/path/to/Editors/emacs/dflatc.el")

(define-derived-mode fbs-mode prog-mode "FBS"
  "Major mode for FlatBuffers schemas."
  (setq-local comment-start "// ")
  (modify-syntax-entry ?/ ". 124b" fbs-mode-syntax-table)
  (modify-syntax-entry ?* ". 23" fbs-mode-syntax-table)
  (modify-syntax-entry ?\n "> b" fbs-mode-syntax-table)
  (modify-syntax-entry ?\" "\"" fbs-mode-syntax-table)
  (setq-local font-lock-defaults
              `(((,(regexp-opt '("table" "struct" "enum" "union" "rpc_service" "namespace" "include" "native_include"
                                 "attribute" "root_type" "file_identifier" "file_extension") 'symbols)
                  . font-lock-keyword-face)))))

(add-to-list 'auto-mode-alist '("\\.fbs\\'" . fbs-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(fbs-mode . ("dflatc" "lsp"))))

(add-hook 'fbs-mode-hook #'eglot-ensure)

(provide 'dflatc)
;;; dflatc.el ends here
