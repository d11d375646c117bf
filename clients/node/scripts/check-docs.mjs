// Lets the compiler read every `ts` block of the repository's pages: what a reader copies compiles.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const client = join(dirname(fileURLToPath(import.meta.url)), "..");
const root = join(client, "../..");
const output = join(client, "build/docs");
const skipped = new Set(["target", "node_modules", "build", "dist"]);

function* pages(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith(".") && !skipped.has(entry.name)) yield* pages(path);
    else if (entry.isFile() && entry.name.endsWith(".md")) yield path;
  }
}

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
let count = 0;
for (const page of pages(root)) {
  const text = readFileSync(page, "utf8");
  for (const block of text.matchAll(/^```ts\b.*\n([^]*?)^```$/gm)) {
    const line = text.slice(0, block.index).split("\n").length;
    const name = `${relative(root, page).replaceAll(/[^A-Za-z0-9]/g, "-")}-${line}.ts`;
    // A module even without an import, so that `await` may stand at its top.
    writeFileSync(join(output, name), `${block[1]}\nexport {};\n`);
    count += 1;
  }
}
if (count === 0) throw new Error("no page has a `ts` block");
execFileSync("npx", ["tsc", "--project", "tsconfig.docs.json"], { cwd: client, stdio: "inherit" });
console.log(`${count} blocks compile`);
