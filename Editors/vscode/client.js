"use strict";
// The Language Server Protocol over a process, without any package.

const { spawn } = require("child_process");

class Client {
  /**
   * @param {string} command The program.
   * @param {string[]} parameters Its arguments.
   * @param {(method: string, params: any) => void} onNotification Takes what the server sends by itself.
   * @param {(reason: string) => void} onEnd Is told once, when the server is gone.
   */
  constructor(command, parameters, folder, onNotification, onEnd) {
    this.onNotification = onNotification;
    this.waiting = new Map();
    this.nextID = 1;
    this.buffer = Buffer.alloc(0);
    this.isRunning = true;
    this.process = spawn(command, parameters, { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
    const end = (reason) => {
      if (!this.isRunning) return;
      this.isRunning = false;
      for (const request of this.waiting.values()) request.reject(new Error(reason));
      this.waiting.clear();
      onEnd(reason);
    };
    this.process.on("error", (error) => end(error.message));
    this.process.on("exit", (code) => end(`${command} ended with exit code ${code}`));
    // A server that is gone is reported by its exit.
    this.process.stdin.on("error", () => {});
    this.process.stdout.on("data", (chunk) => this.read(chunk));
  }

  send(message) {
    if (!this.isRunning) return;
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }), "utf8");
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  /** Sends a request. If `token` is cancelled meanwhile, so is the request. */
  request(method, params, token) {
    if (!this.isRunning) return Promise.resolve(null);
    const id = this.nextID++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
      if (token) token.onCancellationRequested(() => this.notify("$/cancelRequest", { id }));
    });
  }

  read(chunk) {
    this.buffer = Buffer.concat([this.buffer, chunk]);
    for (;;) {
      const headers = this.buffer.indexOf("\r\n\r\n");
      if (headers < 0) return;
      const length = /content-length: *(\d+)/i.exec(this.buffer.toString("latin1", 0, headers));
      const start = headers + 4;
      const end = start + (length ? Number(length[1]) : 0);
      if (this.buffer.length < end) return;
      const message = JSON.parse(this.buffer.toString("utf8", start, end));
      this.buffer = this.buffer.subarray(end);
      this.handle(message);
    }
  }

  handle(message) {
    if (message.method !== undefined) {
      // The server's requests need no result.
      if (message.id !== undefined) this.send({ id: message.id, result: null });
      else this.onNotification(message.method, message.params);
      return;
    }
    const request = this.waiting.get(message.id);
    if (!request) return;
    this.waiting.delete(message.id);
    // A request that was cancelled or overtaken has no result, which is no mistake.
    const quiet = [-32800, -32801];
    if (message.error && !quiet.includes(message.error.code)) request.reject(new Error(message.error.message));
    else request.resolve(message.error ? null : message.result);
  }

  async stop() {
    if (!this.isRunning) return;
    await this.request("shutdown", {}).catch(() => {});
    this.isRunning = false;
    this.process.stdin.end('Content-Length: 33\r\n\r\n{"jsonrpc":"2.0","method":"exit"}');
  }
}

module.exports = { Client };
