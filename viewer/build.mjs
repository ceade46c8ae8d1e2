// Builds the page into one HTML file: node build.mjs OUT_DIR  ->  OUT_DIR/viewer.html
//
// Script and style are inline; the content security policy names their hashes and allows nothing else to run or to be
// loaded. Packages come from GROUSER_NODE_MODULES, or from node_modules beside this file.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.env.GROUSER_NODE_MODULES ?? join(here, "node_modules"));
const out = process.argv[2];
if (!out) {
  console.error("usage: node build.mjs OUT_DIR");
  process.exit(2);
}
const esbuild = createRequire(join(modules, "resolve.js"))("esbuild");

const result = await esbuild.build({
  entryPoints: [join(here, "src/main.ts"), join(here, "style.css")],
  outdir: "out",
  bundle: true,
  write: false,
  minify: true,
  target: ["chrome100", "firefox115", "safari16"],
  format: "iife",
  charset: "ascii",
  legalComments: "eof",
  nodePaths: [modules],
  logLevel: "warning",
});
const text = (ending) => result.outputFiles.find((f) => f.path.endsWith(ending)).text.trim();
const hash = (s) => `'sha256-${createHash("sha256").update(s, "utf8").digest("base64")}'`;

// "</script" or "<!--" inside the script would end it or hide its end.
const script = text(".js").replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "\\x3c!--");
const style = text(".css");
const policy = [
  "default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`, "img-src 'self' data: blob:", "media-src blob:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
].join("; ");

const page = readFileSync(join(here, "index.html"), "utf8")
  .replace("<!--CSP-->", () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
  .replace("<!--STYLE-->", () => `<style>${style}</style>`)
  .replace("<!--SCRIPT-->", () => `<script>${script}</script>`);
mkdirSync(out, { recursive: true });
const file = join(out, "viewer.html");
writeFileSync(file, page);
const kb = (n) => `${(n / 1000).toFixed(0)} kB`;
console.log(`${file}: ${kb(Buffer.byteLength(page))}, ${kb(gzipSync(page).length)} gzipped`);
