//! Starts `dflatc lsp` for schemas. Zed itself reads the settings below `lsp.dflatc`.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Dflat;

impl zed::Extension for Dflat {
    fn new() -> Self {
        Dflat
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree.which("dflatc").ok_or("dflatc is not on the PATH")?;
        Ok(Command { command, args: vec!["lsp".into()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Dflat);
