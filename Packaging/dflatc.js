#!/usr/bin/env node
// Runs the dflatc of the package for this system, which npm has installed beside this one.
const { spawnSync } = require("child_process");

const name = `dflatc-${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/dflatc`);
} catch {
  console.error(
    `error: there is no package ${name}: dflatc is not made for this system, or was installed without optional dependencies`
  );
  process.exit(1);
}
const result = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" });
if (result.error) {
  console.error(`error: ${binary} cannot be run: ${result.error.message}`);
  process.exit(1);
}
// As a shell tells of a program that was ended by a signal.
process.exit(result.status ?? 128 + (require("os").constants.signals[result.signal] ?? 0));
