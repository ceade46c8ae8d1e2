// A live run inside the page: the simulator as WebAssembly in a worker, in place of a server.

import type { Command, LiveHandlers } from "../live.ts";
import { fromBase64 } from "../load.ts";
import { readMessage } from "../stream.ts";
import type { Start } from "./worker.ts";

/** Files of a bundle made by pack.mjs: u32 count; then u32 name size, name, u32 size, bytes of each. */
function unpack(bytes: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const files = new Map<string, Uint8Array>();
  let at = 4;
  const next = () => {
    const size = view.getUint32(at, true);
    at += 4 + size;
    return bytes.subarray(at - size, at);
  };
  for (let k = view.getUint32(0, true); k > 0; k--) {
    const name = new TextDecoder().decode(next());
    files.set(name, next());
  }
  return files;
}

async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Playground {
  private worker: Worker | null = null;
  private queue: Promise<void> = Promise.resolve();

  constructor(script: Element, private handlers: LiveHandlers) {
    this.start(script).catch((error: unknown) => handlers.problem(error instanceof Error ? error.message : String(error)));
  }

  private async start(script: Element): Promise<void> {
    const files = unpack(await gunzip(fromBase64(script.textContent ?? "") as Uint8Array<ArrayBuffer>));
    const code = files.get("worker.js");
    const wasm = files.get("playground.wasm");
    if (!code || !wasm) throw new Error("the simulator is missing in this page");
    const url = URL.createObjectURL(new Blob([code as Uint8Array<ArrayBuffer>], { type: "text/javascript" }));
    this.worker = new Worker(url);
    URL.revokeObjectURL(url);
    this.worker.onmessage = (event: MessageEvent<Uint8Array | string>) => this.take(event.data);
    this.worker.onerror = (event) => this.handlers.problem(event.message);
    const data = [...files].filter(([name]) => name.startsWith("data/")).map(([name, bytes]) => ({ name: name.slice(5), bytes: bytes.slice() }));
    const start: Start = { wasm: wasm.slice(), files: data, scenario: script.getAttribute("data-scenario") ?? "" };
    this.worker.postMessage(start);
    this.handlers.connected(true);
  }

  private take(data: Uint8Array | string): void {
    if (typeof data === "string") {
      this.handlers.problem(data);
      return;
    }
    this.queue = this.queue.then(async () => {
      try {
        this.handlers.chunk(await readMessage(data));
      } catch (error) {
        this.handlers.problem(error instanceof Error ? error.message : String(error));
      }
    });
  }

  send(command: Command): void {
    this.worker?.postMessage(JSON.stringify(command));
  }
}
