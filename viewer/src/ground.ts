// The undisturbed ground on the CPU: one or more height grids with a pyramid of coarser copies.
//
// Coordinates are local: world less HEAD.origin. A later grid is finer and takes precedence inside its frame.

import { clamp } from "./math.ts";
import type { GroundBlock } from "./stream.ts";

interface Level {
  nx: number;
  ny: number;
  cell: number;
  x: number; // of node 0
  y: number;
  height: Float32Array;
}

/** The part of a block that has ground: runs on large maps record only the surroundings of their route. */
function crop(block: GroundBlock): { i0: number; j0: number; nx: number; ny: number; height: Float32Array; holes: boolean } {
  const { nx, ny, height } = block;
  if (!block.holes) return { i0: 0, j0: 0, nx, ny, height, holes: false };
  let [i0, i1, j0, j1] = [nx, -1, ny, -1];
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++) {
      if (Number.isNaN(height[j * nx + i]!)) continue;
      if (i < i0) i0 = i;
      if (i > i1) i1 = i;
      if (j < j0) j0 = j;
      j1 = j;
    }
  if (i1 < 0) return { i0: 0, j0: 0, nx, ny, height, holes: true };
  const [w, h] = [i1 - i0 + 1, j1 - j0 + 1];
  const out = new Float32Array(w * h);
  for (let j = 0; j < h; j++) out.set(height.subarray((j0 + j) * nx + i0, (j0 + j) * nx + i0 + w), j * w);
  return { i0, j0, nx: w, ny: h, height: out, holes: out.some(Number.isNaN) };
}

export class HeightGrid {
  readonly levels: Level[];
  readonly x: number;
  readonly y: number;
  readonly xMax: number;
  readonly yMax: number;
  readonly zMin: number;
  readonly zMax: number;
  /** 1 where there is ground; null where there is ground everywhere. */
  readonly mask: Uint8Array | null;

  constructor(block: GroundBlock, xFirst: number, yFirst: number) {
    const { i0, j0, nx, ny, height, holes } = crop(block);
    const cell = block.cell;
    const x = xFirst + i0 * cell;
    const y = yFirst + j0 * cell;
    this.x = x;
    this.y = y;
    this.xMax = x + (nx - 1) * cell;
    this.yMax = y + (ny - 1) * cell;
    this.mask = holes ? Uint8Array.from(height, (h) => (Number.isNaN(h) ? 0 : 1)) : null;
    let zMin = Infinity;
    let zMax = -Infinity;
    for (let k = 0; k < height.length; k++) {
      const h = height[k]!;
      if (h < zMin) zMin = h;
      if (h > zMax) zMax = h;
    }
    this.zMin = zMin <= zMax ? zMin : 0;
    this.zMax = zMin <= zMax ? zMax : 0;
    if (holes) fillHoles(height, nx, this.zMin);
    this.levels = [{ nx, ny, cell, x, y, height }];
  }

  get base(): Level {
    return this.levels[0]!;
  }

  contains(x: number, y: number): boolean {
    return x >= this.x && x <= this.xMax && y >= this.y && y <= this.yMax;
  }

  hasGround(x: number, y: number): boolean {
    if (!this.contains(x, y)) return false;
    if (!this.mask) return true;
    const { nx, ny, cell } = this.base;
    const i = clamp(Math.round((x - this.x) / cell), 0, nx - 1);
    const j = clamp(Math.round((y - this.y) / cell), 0, ny - 1);
    return this.mask[j * nx + i] === 1;
  }

  /** The level whose cell is at most `cell`, but not much finer; built on demand. */
  level(cell: number): Level {
    let k = 0;
    for (;;) {
      const l = this.levels[k]!;
      if (l.cell * 2 > cell * 1.01 || l.nx < 4 || l.ny < 4) return l;
      if (k + 1 === this.levels.length) this.levels.push(halve(l));
      k++;
    }
  }

  /** Bilinear height; outside the frame that of the nearest edge. */
  sample(x: number, y: number): number {
    const { nx, ny, cell, height } = this.base;
    const u = clamp((x - this.x) / cell, 0, nx - 1);
    const v = clamp((y - this.y) / cell, 0, ny - 1);
    const i = Math.min(Math.floor(u), Math.max(0, nx - 2));
    const j = Math.min(Math.floor(v), Math.max(0, ny - 2));
    const fu = u - i;
    const fv = v - j;
    const i1 = Math.min(i + 1, nx - 1);
    const j1 = Math.min(j + 1, ny - 1);
    const south = height[j * nx + i]! * (1 - fu) + height[j * nx + i1]! * fu;
    const north = height[j1 * nx + i]! * (1 - fu) + height[j1 * nx + i1]! * fu;
    return south * (1 - fv) + north * fv;
  }
}

/** Gives nodes without ground the last valid height of their row, so that interpolation next to them stays finite. */
function fillHoles(height: Float32Array, nx: number, fallback: number): void {
  for (let row = 0; row < height.length; row += nx) {
    let last = NaN;
    for (let i = 0; i < nx && Number.isNaN(last); i++) last = height[row + i]!;
    if (Number.isNaN(last)) last = fallback;
    for (let i = 0; i < nx; i++) {
      const h = height[row + i]!;
      if (Number.isNaN(h)) height[row + i] = last;
      else last = h;
    }
  }
}

/** Every other node, smoothed by the weights 1 2 1 in both directions. */
function halve(l: Level): Level {
  const nx = (l.nx + 1) >> 1;
  const ny = (l.ny + 1) >> 1;
  const rows = new Float32Array(l.ny * nx);
  for (let j = 0; j < l.ny; j++)
    for (let i = 0; i < nx; i++) {
      const c = j * l.nx + 2 * i;
      const west = i > 0 ? l.height[c - 1]! : l.height[c]!;
      const east = 2 * i + 1 < l.nx ? l.height[c + 1]! : l.height[c]!;
      rows[j * nx + i] = 0.25 * (west + east) + 0.5 * l.height[c]!;
    }
  const height = new Float32Array(nx * ny);
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++) {
      const c = 2 * j * nx + i;
      const south = j > 0 ? rows[c - nx]! : rows[c]!;
      const north = 2 * j + 1 < l.ny ? rows[c + nx]! : rows[c]!;
      height[j * nx + i] = 0.25 * (south + north) + 0.5 * rows[c]!;
    }
  return { nx, ny, cell: 2 * l.cell, x: l.x, y: l.y, height };
}

export class Ground {
  readonly grids: HeightGrid[] = [];

  get empty(): boolean {
    return this.grids.length === 0;
  }

  /** The widest grid: its frame is the map's. */
  get frame(): HeightGrid | null {
    return this.grids[0] ?? null;
  }

  add(grid: HeightGrid): void {
    this.grids.push(grid);
  }

  height(x: number, y: number): number {
    for (let g = this.grids.length - 1; g > 0; g--) if (this.grids[g]!.hasGround(x, y)) return this.grids[g]!.sample(x, y);
    return this.grids[0]?.sample(x, y) ?? 0;
  }

  hasGround(x: number, y: number): boolean {
    return this.grids.some((g) => g.hasGround(x, y));
  }

  /**
   * Heights of a rectangle of nx x ny nodes from (x, y) in steps of `cell`, filtered to that cell, into
   * out[offset + j * stride + i].
   */
  fill(x: number, y: number, cell: number, nx: number, ny: number, out: Float32Array, offset: number, stride: number): void {
    this.grids.forEach((grid, g) => fillFrom(grid, g > 0, x, y, cell, nx, ny, out, offset, stride));
  }
}

function fillFrom(grid: HeightGrid, insideOnly: boolean, x: number, y: number, cell: number, nx: number, ny: number, out: Float32Array, offset: number, stride: number): void {
  let i0 = 0;
  let i1 = nx;
  let j0 = 0;
  let j1 = ny;
  if (insideOnly) {
    i0 = Math.max(0, Math.ceil((grid.x - x) / cell));
    i1 = Math.min(nx, Math.floor((grid.xMax - x) / cell) + 1);
    j0 = Math.max(0, Math.ceil((grid.y - y) / cell));
    j1 = Math.min(ny, Math.floor((grid.yMax - y) / cell) + 1);
    if (i1 <= i0 || j1 <= j0) return;
  }
  const l = grid.level(cell);
  const height = l.height;
  const column = new Int32Array(i1 - i0);
  const weight = new Float32Array(i1 - i0);
  const eastStep = l.nx > 1 ? 1 : 0;
  for (let i = i0; i < i1; i++) {
    const u = clamp((x + i * cell - l.x) / l.cell, 0, l.nx - 1);
    const c = Math.min(Math.floor(u), Math.max(0, l.nx - 2));
    column[i - i0] = c;
    weight[i - i0] = u - c;
  }
  for (let j = j0; j < j1; j++) {
    const v = clamp((y + j * cell - l.y) / l.cell, 0, l.ny - 1);
    const row = Math.min(Math.floor(v), Math.max(0, l.ny - 2));
    const fv = v - row;
    const south = row * l.nx;
    const north = Math.min(row + 1, l.ny - 1) * l.nx;
    const target = offset + j * stride;
    for (let i = i0; i < i1; i++) {
      const c = column[i - i0]!;
      const fu = weight[i - i0]!;
      const a = height[south + c]!;
      const b = height[south + c + eastStep]!;
      const d = height[north + c]!;
      const e = height[north + c + eastStep]!;
      const lower = a + (b - a) * fu;
      const h = lower + (d + (e - d) * fu - lower) * fv;
      if (!insideOnly || !grid.mask || grid.hasGround(x + i * cell, y + j * cell)) out[target + i] = h;
    }
  }
}
