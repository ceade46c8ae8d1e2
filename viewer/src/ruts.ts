// Ruts: the change of the ground's height by wheels, as sparse tiles that follow the shown time.
//
// Only the bytes of the chunks are kept. Seeking forward adds their content, seeking backward subtracts it; every
// change is reported as a rectangle of nodes, so that the picture uploads no more than what changed.

import { decodeRuts, rutTime, TILE } from "./stream.ts";

const MAX_TILES = 1 << 18; // 262,144 tiles of 2 KiB
export const MAX_MIP = 5;  // a tile of 32 nodes has five coarser levels

export interface Rect {
  i0: number;
  j0: number;
  i1: number; // exclusive
  j1: number;
}

export interface Tile {
  ti: number;
  tj: number;
  /** Content in quanta. 16 bits that wrap around keep adding and subtracting exact. */
  q: Int16Array;
  /** Averages over 2, 4 … 32 nodes; made when needed. */
  mips: Float32Array[] | null;
}

function grow(rect: Rect | null, other: Rect): Rect {
  if (!rect) return other;
  return { i0: Math.min(rect.i0, other.i0), j0: Math.min(rect.j0, other.j0), i1: Math.max(rect.i1, other.i1), j1: Math.max(rect.j1, other.j1) };
}

export class Ruts {
  private chunks: { time: number; data: Uint8Array }[] = [];
  private applied = 0;
  private tiles = new Map<number, Tile>();
  private dirty: Rect | null = null;

  constructor(readonly cell: number, readonly quantum: number) {}

  /** Adds a chunk; it shows when the time reaches it. */
  push(data: Uint8Array): void {
    const time = rutTime(data);
    decodeRuts(data, () => {}); // a damaged chunk must fail here and not in the middle of a picture
    this.chunks.push({ time, data });
  }

  get count(): number {
    return this.chunks.length;
  }

  /** Moves to the state at time t. */
  seek(t: number): void {
    let target = this.applied;
    while (target < this.chunks.length && this.chunks[target]!.time <= t) target++;
    while (target > 0 && this.chunks[target - 1]!.time > t) target--;
    if (target < this.applied - target) this.clear(); // shorter from the start
    while (this.applied < target) this.apply(this.chunks[this.applied++]!.data, 1);
    while (this.applied > target) this.apply(this.chunks[--this.applied]!.data, -1);
  }

  /** The nodes that changed since the last call. */
  takeDirty(): Rect | null {
    const rect = this.dirty;
    this.dirty = null;
    return rect;
  }

  private clear(): void {
    for (const tile of this.tiles.values()) this.touch(tile.ti, tile.tj);
    this.tiles.clear();
    this.applied = 0;
  }

  private touch(ti: number, tj: number): void {
    this.dirty = grow(this.dirty, { i0: ti * TILE, j0: tj * TILE, i1: (ti + 1) * TILE, j1: (tj + 1) * TILE });
  }

  private static key(ti: number, tj: number): number {
    return (ti + 0x100000) * 0x200000 + (tj + 0x100000);
  }

  private apply(data: Uint8Array, sign: number): void {
    decodeRuts(data, (ti, tj, change) => {
      const key = Ruts.key(ti, tj);
      let tile = this.tiles.get(key);
      if (!tile) {
        if (this.tiles.size >= MAX_TILES) return;
        tile = { ti, tj, q: new Int16Array(TILE * TILE), mips: null };
        this.tiles.set(key, tile);
      }
      for (let k = 0; k < change.length; k++) tile.q[k]! += sign * change[k]!;
      tile.mips = null;
      this.touch(ti, tj);
    });
  }

  /** Change of height at node (i, j) [m]. */
  node(i: number, j: number): number {
    const ti = Math.floor(i / TILE);
    const tj = Math.floor(j / TILE);
    const tile = this.tiles.get(Ruts.key(ti, tj));
    return tile ? tile.q[(j - tj * TILE) * TILE + (i - ti * TILE)]! * this.quantum : 0;
  }

  /** Change of height at a point of the world, bilinear [m]. */
  at(x: number, y: number): number {
    const u = x / this.cell;
    const v = y / this.cell;
    const i = Math.floor(u);
    const j = Math.floor(v);
    const fu = u - i;
    const fv = v - j;
    const south = this.node(i, j) * (1 - fu) + this.node(i + 1, j) * fu;
    const north = this.node(i, j + 1) * (1 - fu) + this.node(i + 1, j + 1) * fu;
    return south * (1 - fv) + north * fv;
  }

  /** Adds level k's content (averages over 2^k nodes) to a rectangle of that level's nodes, row stride given. */
  addTo(level: number, rect: Rect, out: Float32Array, depth: Float32Array, offset: number, stride: number): void {
    if (level > MAX_MIP) return;
    const n = TILE >> level;
    const t0 = Math.floor(rect.i0 / n);
    const t1 = Math.floor((rect.i1 - 1) / n);
    const u0 = Math.floor(rect.j0 / n);
    const u1 = Math.floor((rect.j1 - 1) / n);
    const visit = (tile: Tile) => {
      const values = level === 0 ? tile.q : this.mips(tile)[level - 1]!;
      const i0 = Math.max(rect.i0, tile.ti * n);
      const i1 = Math.min(rect.i1, (tile.ti + 1) * n);
      const j1 = Math.min(rect.j1, (tile.tj + 1) * n);
      for (let j = Math.max(rect.j0, tile.tj * n); j < j1; j++) {
        const from = (j - tile.tj * n) * n - tile.ti * n;
        const to = offset + (j - rect.j0) * stride - rect.i0;
        for (let i = i0; i < i1; i++) {
          const change = values[from + i]! * this.quantum;
          out[to + i]! += change;
          depth[to + i] = change;
        }
      }
    };
    if ((t1 - t0 + 1) * (u1 - u0 + 1) > this.tiles.size) {
      for (const tile of this.tiles.values()) if (tile.ti >= t0 && tile.ti <= t1 && tile.tj >= u0 && tile.tj <= u1) visit(tile);
    } else
      for (let tj = u0; tj <= u1; tj++)
        for (let ti = t0; ti <= t1; ti++) {
          const tile = this.tiles.get(Ruts.key(ti, tj));
          if (tile) visit(tile);
        }
  }

  private mips(tile: Tile): Float32Array[] {
    if (tile.mips) return tile.mips;
    tile.mips = [];
    let source: Int16Array | Float32Array = tile.q;
    for (let n = TILE / 2; n >= 1; n /= 2) {
      const mip = new Float32Array(n * n);
      for (let j = 0; j < n; j++)
        for (let i = 0; i < n; i++) {
          const c = 2 * j * 2 * n + 2 * i;
          mip[j * n + i] = 0.25 * (source[c]! + source[c + 1]! + source[c + 2 * n]! + source[c + 2 * n + 1]!);
        }
      tile.mips.push(mip);
      source = mip;
    }
    return tile.mips;
  }
}
