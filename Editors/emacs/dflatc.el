;;; dflatc.el --- FlatBuffers schemas in Emacs 29 and newer, with eglot  -*- lexical-binding: t -*-
;; Load it from your init file: (load "/path/to/Editors/emacs/dflatc.el")

(defcustom fbs-format-on-save t
  "Whether saving a schema lays it out, as `dflatc format' does."
  :type 'boolean :group 'languages)

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

(defun fbs-format-before-save ()
  "Lay the schema out, if a server serves it and `fbs-format-on-save' is set."
  (when (and fbs-format-on-save (bound-and-true-p eglot--managed-mode))
    (eglot-format-buffer)))

(add-hook 'fbs-mode-hook #'eglot-ensure)
(add-hook 'fbs-mode-hook (lambda () (add-hook 'before-save-hook #'fbs-format-before-save nil t)))

(provide 'dflatc)
;;; dflatc.el ends here
