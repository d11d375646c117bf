// Compresses what was built into the crate that carries it, or with --check says whether that is up to date.
//
// Files are compared uncompressed: zlib versions compress differently, and the page is what counts.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

const built = new URL("./dist/", import.meta.url);
const packed = new URL("../crates/hookrail-ui/assets/", import.meta.url);
const names = readdirSync(built).sort();
const expected = ["app.css", "app.js", "icon.svg", "index.html"];
if (names.join() !== expected.join()) throw new Error(`expected ${expected.join(", ")} and built ${names.join(", ")}`);

const stale = [];
for (const name of names) {
  const content = readFileSync(new URL(name, built));
  const file = new URL(`${name}.gz`, packed);
  if (process.argv.includes("--check")) {
    if (!gunzipSync(readFileSync(file)).equals(content)) stale.push(name);
  } else {
    writeFileSync(file, gzipSync(content, { level: 9 }));
  }
}
if (stale.length > 0) {
  console.error(`error: ${stale.join(", ")} in crates/hookrail-ui/assets is not what ui/ builds`);
  console.error("hint: npm --prefix ui install --no-save && npm --prefix ui run build");
  process.exit(1);
}
const size = readdirSync(packed).reduce((sum, name) => sum + readFileSync(new URL(name, packed)).length, 0);
console.log(`${names.length} files, ${(size / 1024).toFixed(1)} KiB compressed`);
