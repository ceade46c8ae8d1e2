// Packs the simulator for `grouser export playground`: node pack.mjs SCRIPT WASM DATA_DIR OUT
//
// SCRIPT and WASM come from Emscripten (tools/playground), DATA_DIR has the shipped rovers, soils and scenarios. The result is
// gzipped: u32 count; then u32 name size, name, u32 size, bytes of each file. viewer/src/playground reads it.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const [script, wasm, data, out] = process.argv.slice(2);
if (!out) {
  console.error("usage: node pack.mjs SCRIPT WASM DATA_DIR OUT");
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.env.GROUSER_NODE_MODULES ?? join(here, "node_modules"));
const esbuild = createRequire(join(modules, "resolve.js"))("esbuild");
const driver = await esbuild.build({
  entryPoints: [join(here, "src/playground/worker.ts")], bundle: true, write: false, minify: true, format: "iife", target: ["chrome100", "firefox115", "safari16"], logLevel: "warning",
});

const files = [
  ["worker.js", Buffer.concat([readFileSync(script), Buffer.from("\n"), Buffer.from(driver.outputFiles[0].contents)])],
  ["playground.wasm", readFileSync(wasm)],
];
for (const folder of ["rovers", "soils", "scenarios"]) {
  const names = readdirSync(join(data, folder), { withFileTypes: true }).filter((e) => e.isFile()).map((e) => e.name);
  for (const name of names.sort()) files.push([`data/${folder}/${name}`, readFileSync(join(data, folder, name))]);
}

const u32 = (n) => {
  const b = Buffer.alloc(4);
  b.writeUInt32LE(n);
  return b;
};
const parts = [u32(files.length)];
for (const [name, bytes] of files) {
  const text = Buffer.from(name);
  parts.push(u32(text.length), text, u32(bytes.length), bytes);
}
const packed = gzipSync(Buffer.concat(parts), { level: 9 });
writeFileSync(out, packed);
console.log(`${out}: ${(packed.length / 1e6).toFixed(2)} MB`);
