// Connection to a live run: WebSocket with one chunk a message, taken in order, and commands as JSON. Reconnects by itself.

import type { EditCommand } from "./edit/state.ts";
import { readMessage, type Chunk } from "./stream.ts";

export interface Status {
  state: string;
  speed: number;
  time: number;
  factor: number;
  clients: number;
  drive: string;
  message: string;
}

export interface DriveCommand {
  mode: string;
  speed: number;
  curvature: number;
  yaw_rate: number;
  crab: number;
}

export type Command =
  | { op: "play" | "pause" | "step" }
  | { op: "speed"; value: number }
  | { op: "reset"; set: string[] }
  | ({ op: "drive" } & DriveCommand)
  | { op: "drive"; auto: true }
  | EditCommand;

export interface LiveHandlers {
  chunk: (chunk: Chunk) => void;
  connected: (connected: boolean) => void;
  problem: (text: string) => void;
}

const FIRST_WAIT = 500; // ms
const LONGEST_WAIT = 5000;

export class Live {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private queue: Promise<void> = Promise.resolve();

  constructor(private url: string, private handlers: LiveHandlers) {
    this.connect();
  }

  private connect(): void {
    const socket = new WebSocket(this.url, "grouser.view.1");
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.handlers.connected(true);
    };
    socket.onmessage = (event) => {
      if (!(event.data instanceof ArrayBuffer)) return;
      const bytes = new Uint8Array(event.data);
      // Inflating is asynchronous; the queue keeps chunks in order.
      this.queue = this.queue.then(async () => {
        if (socket !== this.socket) return;
        try {
          this.handlers.chunk(await readMessage(bytes));
        } catch (error) {
          this.handlers.problem(error instanceof Error ? error.message : String(error));
        }
      });
    };
    socket.onclose = () => {
      if (socket !== this.socket) return;
      this.handlers.connected(false);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
    };
    this.socket = socket;
  }

  send(command: Command): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }
}

export function parseStatus(json: unknown): Status {
  const o = (typeof json === "object" && json !== null ? json : {}) as Record<string, unknown>;
  const number = (v: unknown) => (typeof v === "number" && Number.isFinite(v) ? v : 0);
  const text = (v: unknown) => (typeof v === "string" ? v : "");
  return { state: text(o.state), speed: number(o.speed), time: number(o.time), factor: number(o.real_time_factor), clients: number(o.clients), drive: text(o.drive), message: text(o.message) };
}
