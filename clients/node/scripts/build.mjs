// Builds the package twice: as ES modules, and as CommonJS for agents that `require` it.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const client = join(dirname(fileURLToPath(import.meta.url)), "..");
const compile = (project) => execFileSync("npx", ["tsc", "--project", project], { cwd: client, stdio: "inherit" });

rmSync(join(client, "dist"), { recursive: true, force: true });
compile("tsconfig.json");
compile("tsconfig.cjs.json");
writeFileSync(join(client, "dist/cjs/package.json"), '{ "type": "commonjs" }\n');
// The one thing that the two kinds of modules spell differently.
writeFileSync(join(client, "dist/cjs/here.js"), '"use strict";\nexports.here = __filename;\n');
