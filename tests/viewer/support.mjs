// Support for the viewer's tests: modules of the page compiled for Node, the page itself, and a browser without network.
//
// Environment: GROUSER_NODE_MODULES (packages; default viewer/node_modules), GROUSER_VIEWER (a built viewer.html; default:
// built here), GROUSER_CHROMIUM (default /usr/bin/chromium).

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import { embed } from "./writer.mjs";

const here = dirname(fileURLToPath(import.meta.url));
export const viewer = resolve(here, "../../viewer");
const modules = resolve(process.env.GROUSER_NODE_MODULES ?? join(viewer, "node_modules"));
const require = createRequire(join(modules, "resolve.js"));

const folder = mkdtempSync(join(tmpdir(), "grouser_viewer_"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Imports a TypeScript module of the page. */
export async function importSource(path) {
  const out = join(folder, `${path.replace(/\W/g, "_")}.mjs`);
  await require("esbuild").build({ entryPoints: [join(viewer, "src", path)], outfile: out, bundle: true, format: "esm", target: "node18", nodePaths: [modules], logLevel: "error" });
  return import(pathToFileURL(out).href);
}

let pageText = null;
export function page() {
  if (pageText) return pageText;
  let file = process.env.GROUSER_VIEWER;
  if (!file) {
    execFileSync(process.execPath, [join(viewer, "build.mjs"), folder], { env: { ...process.env, GROUSER_NODE_MODULES: modules }, stdio: "pipe" });
    file = join(folder, "viewer.html");
  }
  pageText = readFileSync(file, "utf8");
  return pageText;
}

/** Writes a single-file replay; returns its path. */
export function replayFile(name, runs) {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, embed(page(), runs));
  return path;
}

export function temporary(name) {
  return join(folder, name);
}

export async function launch(more = []) {
  const { chromium } = require("playwright-core");
  return chromium.launch({
    executablePath: process.env.GROUSER_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", ...more],
  });
}

/** Opens a file; collects every request, console error, policy violation and exception. */
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 960, height: 600 }, acceptDownloads: true, ...options, language: undefined });
  context.setDefaultTimeout(120000); // frames of software rendering take seconds on a busy machine
  const tab = await context.newPage();
  const requests = [];
  const problems = [];
  tab.on("request", (r) => requests.push(r.url()));
  tab.on("pageerror", (e) => problems.push(`exception: ${e.message}`));
  tab.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") problems.push(`${m.type()}: ${m.text()}`); });
  await tab.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (e) => window.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
  });
  if (options.language) await tab.addInitScript((tag) => Object.defineProperty(navigator, "language", { value: tag, configurable: true }), options.language);
  const url = pathToFileURL(file).href + (options.hash ?? "");
  await tab.goto(url);
  const ready = await tab.evaluate(() => window.grouserView.ready);
  return { tab, context, requests, problems, ready, url };
}

/** Pixels of a PNG without interlace, 8 bits a channel: {width, height, at(x, y) -> [r, g, b]}. */
export function decodePng(png) {
  let at = 8;
  let width = 0;
  let height = 0;
  let channels = 4;
  const parts = [];
  while (at < png.length) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") {
      width = data.readUInt32BE(0);
      height = data.readUInt32BE(4);
      channels = { 2: 3, 6: 4 }[data[9]];
    } else if (type === "IDAT") parts.push(data);
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let k = 0; k < stride; k++) {
      const a = k >= channels ? out[y * stride + k - channels] : 0;
      const b = y > 0 ? out[(y - 1) * stride + k] : 0;
      const c = k >= channels && y > 0 ? out[(y - 1) * stride + k - channels] : 0;
      const p = a + b - c;
      const paeth = Math.abs(p - a) <= Math.abs(p - b) && Math.abs(p - a) <= Math.abs(p - c) ? a : Math.abs(p - b) <= Math.abs(p - c) ? b : c;
      out[y * stride + k] = raw[y * (stride + 1) + 1 + k] + [0, a, b, (a + b) >> 1, paeth][filter];
    }
  }
  return { width, height, at: (x, y) => [...out.subarray(Math.round(y) * stride + Math.round(x) * channels, Math.round(y) * stride + Math.round(x) * channels + 3)] };
}

/** Mean colour of a square of pixels. */
export function meanColour(image, x, y, half = 2) {
  const sum = [0, 0, 0];
  let n = 0;
  for (let j = -half; j <= half; j++)
    for (let i = -half; i <= half; i++) {
      const px = Math.round(x) + i;
      const py = Math.round(y) + j;
      if (px < 0 || py < 0 || px >= image.width || py >= image.height) continue;
      image.at(px, py).forEach((v, k) => (sum[k] += v));
      n++;
    }
  return sum.map((v) => v / Math.max(1, n));
}

export const brightness = (c) => (c[0] + c[1] + c[2]) / 3;
export const difference = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
