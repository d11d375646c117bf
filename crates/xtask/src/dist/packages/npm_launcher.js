#!/usr/bin/env node
// Starts the hookrail of the package for this system, with the same arguments, streams and exit code.
"use strict";
const { spawn } = require("node:child_process");

function find() {
  if (process.env.HOOKRAIL_BIN) return process.env.HOOKRAIL_BIN;
  const name = `@hookrail/${process.platform}-${process.arch}`;
  const suffix = process.platform === "win32" ? ".exe" : "";
  try {
    return require.resolve(`${name}/bin/hookrail${suffix}`);
  } catch {
    console.error(`error: the package \`${name}\`, which holds the program for this system, is not installed`);
    console.error("hint: install without `--omit=optional`; if there is no such package, build hookrail from source");
    console.error("      (cargo install --git https://github.com/hookrail/hookrail hookrail-cli) and name it in HOOKRAIL_BIN");
    process.exit(1);
  }
}

const child = spawn(find(), process.argv.slice(2), { stdio: "inherit", windowsHide: true });
// The terminal sends them to both; others only to this process. What they mean is for the program to decide.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`error: hookrail could not be started: ${error.message}`);
  process.exit(1);
});
child.on("close", (code, signal) => {
  if (signal === null) process.exit(code);
  for (const other of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(other);
  process.kill(process.pid, signal);
});
