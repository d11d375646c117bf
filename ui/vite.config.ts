import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

// The licences of what is bundled go with it.
const bundled = ["preact", "uplot"].map((name) => {
  const text = readFileSync(new URL(`./node_modules/${name}/LICENSE`, import.meta.url), "utf8").trim();
  return `${name}\n\n${text}`;
});

// Names without hashes and one file of each kind: the binary carries them by name, and a rebuild gives the same bytes.
export default defineConfig({
  base: "/",
  build: {
    outDir: "dist",
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    sourcemap: false,
    rolldownOptions: {
      output: {
        postBanner: `/*! With parts of:\n\n${bundled.join("\n\n")}\n*/`,
        entryFileNames: "app.js",
        assetFileNames: (asset) => (asset.names.some((name) => name.endsWith(".css")) ? "app.css" : "[name][extname]"),
      },
    },
  },
});
