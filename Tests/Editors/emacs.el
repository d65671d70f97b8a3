;;; emacs.el --- Runs in `emacs --batch', in a folder with broken.fbs and base.fbs, with DFLATC and PACKAGE in the environment  -*- lexical-binding: t -*-
;; A person opens a schema with a mistake, sees it, applies the fix, saves, and follows an include.

(require 'cl-lib)
(require 'eglot)
(require 'flymake)
(load (concat (getenv "PACKAGE") "/Editors/emacs/dflatc.el") nil t)

(defun test-fail (format &rest arguments)
  (message "emacs: %s" (apply #'format format arguments))
  (kill-emacs 1))

(defun test-wait (what condition)
  (let ((end (+ (float-time) 20)))
    (while (not (funcall condition))
      (when (> (float-time) end) (test-fail "no %s" what))
      (accept-process-output nil 0.05))))

(setf (alist-get 'fbs-mode eglot-server-programs) (list (getenv "DFLATC") "lsp"))

(find-file "broken.fbs")
(unless (eq major-mode 'fbs-mode) (test-fail "another mode: %s" major-mode))
;; Without a person, `eglot-ensure' waits for a command that never comes.
(apply #'eglot--connect (eglot--guess-contact))
(test-wait "server" (lambda () (bound-and-true-p eglot--managed-mode)))
(flymake-start)
(test-wait "diagnostic" #'flymake-diagnostics)
(let ((text (flymake-diagnostic-text (car (flymake-diagnostics)))))
  (unless (string-match-p "`;` is missing" text) (test-fail "another message: %s" text)))

(let* ((place (flymake-diagnostic-beg (car (flymake-diagnostics))))
       (actions (eglot-code-actions place (flymake-diagnostic-end (car (flymake-diagnostics)))))
       (edit (plist-get (car actions) :edit)))
  (unless edit (test-fail "no fix: %S" actions))
  (eglot--apply-workspace-edit edit))
;; Without a person, Emacs is never idle, which is when eglot sends changes.
(eglot--signal-textDocument/didChange)
(test-wait "end of the diagnostics"
           (lambda () (cl-notany (lambda (it) (string-match-p "is missing" (flymake-diagnostic-text it)))
                                 (flymake-diagnostics))))

(save-buffer)
(let ((text (with-temp-buffer (insert-file-contents "broken.fbs") (buffer-string)))
      (expected "include \"base.fbs\";\n\ntable Holder {\n  base: Base;\n  count: int;\n}\n"))
  (unless (equal text expected) (test-fail "the file is not laid out: %s" text)))

(goto-char (point-min))
(search-forward "base: Ba")
(xref-find-definitions (thing-at-point 'symbol t))
(unless (and (equal (file-name-nondirectory (buffer-file-name)) "base.fbs") (= (line-number-at-pos) 2))
  (test-fail "the definition is not in the include: %s:%d" (buffer-file-name) (line-number-at-pos)))

(message "emacs: all done")
(kill-emacs 0)
