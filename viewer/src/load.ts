// Where replays come from: data inside the page, the server that sent the page, or files given by the user.

import { Run } from "./run.ts";
import { readReplay, type Chunk, type ReadReport } from "./stream.ts";

export interface Source {
  name: string;
  bytes: () => Promise<Uint8Array>;
}

export interface Loaded {
  run: Run | null;
  report: ReadReport;
}

const PIECE = 1 << 22; // characters decoded at once, a multiple of 4

/** Base64 in pieces, so that a large replay needs no string of its size a second time. */
export function fromBase64(text: string): Uint8Array {
  const clean = /\s/.test(text) ? text.replace(/\s+/g, "") : text;
  const out = new Uint8Array(Math.ceil((clean.length * 3) / 4));
  let n = 0;
  for (let at = 0; at < clean.length; at += PIECE) {
    const binary = atob(clean.slice(at, at + PIECE));
    for (let k = 0; k < binary.length; k++) out[n + k] = binary.charCodeAt(k);
    n += binary.length;
  }
  return out.subarray(0, n);
}

/** Replays inside an HTML document: this page, or a replay file that was dropped on it. */
export function embedded(root: Document): Source[] {
  return [...root.querySelectorAll("script[data-replay]")].map((script) => ({
    name: script.getAttribute("data-name") ?? "",
    bytes: async () => fromBase64(script.textContent ?? ""),
  }));
}

export async function fromFile(file: File): Promise<Source[]> {
  if (/\.html?$/i.test(file.name)) return embedded(new DOMParser().parseFromString(await file.text(), "text/html"));
  return [{ name: file.name.replace(/\.bin$/i, ""), bytes: async () => new Uint8Array(await file.arrayBuffer()) }];
}

export type Hello = { mode: "live"; editor?: boolean } | { mode: "replay"; replays: { url: string; name: string }[] };

/** What the server offers; null where the page did not come from a Grouser server. */
export async function hello(): Promise<Hello | null> {
  if (!/^https?:$/.test(location.protocol)) return null;
  try {
    const reply = await fetch("/hello.json");
    const json = (await reply.json()) as Hello;
    return json.mode === "live" || (json.mode === "replay" && Array.isArray(json.replays)) ? json : null;
  } catch {
    return null;
  }
}

export function fromServer(replay: { url: string; name: string }): Source {
  return {
    name: replay.name,
    bytes: async () => {
      const reply = await fetch(replay.url);
      if (!reply.ok) throw new Error(`${replay.url}: ${reply.status} ${reply.statusText}`);
      return new Uint8Array(await reply.arrayBuffer());
    },
  };
}

export async function load(source: Source): Promise<Loaded> {
  let run: Run | null = null;
  const take = (chunk: Chunk) => {
    if (chunk.type === "HEAD") run ??= Run.fromHead(chunk, source.name);
    else run?.feed(chunk);
  };
  const turn = () => new Promise<void>((resolve) => setTimeout(resolve));
  const report = await readReplay(await source.bytes(), take, turn);
  return { run, report };
}
