// Windows of the ground around the point of interest, each twice as coarse and twice as wide as the one before it.
//
//      +-----------------------+  layer 2: cell 4c        Each layer has SIZE x SIZE nodes on the lattice
//      |     +-----------+     |  layer 1: cell 2c        x = i * cell of the world, so that layer 0 shares
//      |     |   +---+   |     |  layer 0: cell c         its nodes with the ruts. The picture takes geometry,
//      |     |   +---+   |     |                          normals and shadows from them, whatever the size
//      |     +-----------+     |                          and number of the maps below.
//      +-----------------------+
//
// Shadows of the ground: for every node the height below which a point lies in shadow ("ceiling"), swept once along
// the sun's direction: ceiling(p) = max(ceiling, ground)(one step toward the sun) - step * tan(elevation).
// A coarser layer supplies the values at the sunward edge, so shadows of far hills reach the finest layer.

import type { Ground } from "./ground.ts";
import type { Rect, Ruts } from "./ruts.ts";

export const SIZE = 512;
const SNAP = 16;           // nodes; layer origins are multiples of it
const RECENTRE = SIZE / 8; // nodes that the focus may move away before the layer follows
const SUN_RADIUS = 0.0047; // rad, half of 0.53 degrees: width of the half-shadow
const DISTURBED = 0.004;   // m of rut that show as fully disturbed soil
const NEVER = -1e9;

export interface Sun {
  azimuth: number;   // deg, clockwise from north
  elevation: number; // deg
}

export interface Layer {
  cell: number;
  /** Lattice index of node 0. */
  i0: number;
  j0: number;
  valid: boolean;
  /** Height and ceiling of shadow, interleaved. */
  height: Float32Array;
  /** Gradient x, gradient y, share of sunlight, cover: 0 no ground, 1 untouched ground, 0.5 disturbed. */
  detail: Float32Array;
  h: Float32Array;
  rut: Float32Array;
  ceiling: Float32Array;
  reach: Float32Array; // distance to what throws the shadow
}

/** A part of a layer that must be uploaded: nodes relative to the layer. */
export interface Upload extends Rect {
  layer: number;
}

export class Layers {
  readonly layers: Layer[] = [];
  /** Heights and details of all layers, one after another: the textures' data. */
  readonly heightData: Float32Array<ArrayBuffer>;
  readonly detailData: Float32Array<ArrayBuffer>;
  private uploads: Upload[] = [];
  private sunDirty = true;

  constructor(private ground: Ground, private ruts: Ruts | null, private origin: readonly [number, number, number], private sun: Sun) {
    const frame = ground.frame;
    const base = ruts ? ruts.cell : Math.min(0.1, Math.max(0.02, (frame?.base.cell ?? 0.1) / 2));
    const extent = frame ? Math.max(frame.xMax - frame.x, frame.yMax - frame.y) : 10;
    const count = Math.min(14, Math.max(2, 2 + Math.ceil(Math.log2(extent / (base * SIZE)))));
    const nodes = SIZE * SIZE;
    this.heightData = new Float32Array(2 * nodes * count);
    this.detailData = new Float32Array(4 * nodes * count);
    for (let k = 0; k < count; k++)
      this.layers.push({
        cell: base * 2 ** k, i0: 0, j0: 0, valid: false,
        height: this.heightData.subarray(2 * nodes * k, 2 * nodes * (k + 1)), detail: this.detailData.subarray(4 * nodes * k, 4 * nodes * (k + 1)),
        h: new Float32Array(nodes), rut: new Float32Array(nodes), ceiling: new Float32Array(nodes), reach: new Float32Array(nodes),
      });
  }

  setSun(sun: Sun): void {
    if (sun.azimuth === this.sun.azimuth && sun.elevation === this.sun.elevation) return;
    this.sun = { ...sun };
    this.sunDirty = true;
  }

  /** Local coordinate of node 0. */
  x(layer: Layer): number {
    return layer.i0 * layer.cell - this.origin[0];
  }
  y(layer: Layer): number {
    return layer.j0 * layer.cell - this.origin[1];
  }

  /** Brings all layers up to date for a focus (local coordinates); returns what must be uploaded. */
  update(x: number, y: number): Upload[] {
    this.uploads = [];
    const dirty = this.ruts?.takeDirty() ?? null;
    for (let k = this.layers.length - 1; k >= 0; k--) {
      const layer = this.layers[k]!;
      const changed = this.follow(layer, k, x, y) ?? (dirty ? this.refreshRuts(layer, k, dirty) : null);
      if (!changed && !this.sunDirty) continue;
      this.sweep(k);
      this.shade(layer, k, changed);
    }
    this.sunDirty = false;
    return this.uploads;
  }

  private follow(layer: Layer, k: number, x: number, y: number): Rect | null {
    const ci = Math.round((x + this.origin[0]) / layer.cell);
    const cj = Math.round((y + this.origin[1]) / layer.cell);
    const off = Math.max(Math.abs(ci - layer.i0 - SIZE / 2), Math.abs(cj - layer.j0 - SIZE / 2));
    if (layer.valid && off <= RECENTRE) return null;
    layer.i0 = Math.round((ci - SIZE / 2) / SNAP) * SNAP;
    layer.j0 = Math.round((cj - SIZE / 2) / SNAP) * SNAP;
    layer.valid = true;
    const all = { i0: 0, j0: 0, i1: SIZE, j1: SIZE };
    this.fill(layer, k, all);
    return all;
  }

  private refreshRuts(layer: Layer, k: number, dirty: Rect): Rect | null {
    const s = 2 ** k;
    const rect = {
      i0: Math.max(0, Math.floor(dirty.i0 / s) - layer.i0), i1: Math.min(SIZE, Math.ceil(dirty.i1 / s) - layer.i0),
      j0: Math.max(0, Math.floor(dirty.j0 / s) - layer.j0), j1: Math.min(SIZE, Math.ceil(dirty.j1 / s) - layer.j0),
    };
    if (rect.i1 <= rect.i0 || rect.j1 <= rect.j0) return null;
    this.fill(layer, k, rect);
    return rect;
  }

  private fill(layer: Layer, k: number, r: Rect): void {
    const offset = r.j0 * SIZE + r.i0;
    const x = this.x(layer) + r.i0 * layer.cell;
    const y = this.y(layer) + r.j0 * layer.cell;
    this.ground.fill(x, y, layer.cell, r.i1 - r.i0, r.j1 - r.j0, layer.h, offset, SIZE);
    for (let j = r.j0; j < r.j1; j++) layer.rut.fill(0, j * SIZE + r.i0, j * SIZE + r.i1);
    const world = { i0: layer.i0 + r.i0, i1: layer.i0 + r.i1, j0: layer.j0 + r.j0, j1: layer.j0 + r.j1 };
    this.ruts?.addTo(k, world, layer.h, layer.rut, offset, SIZE);
  }

  /** Ceiling of shadow and distance to its cause, line by line away from the sun. */
  private sweep(k: number): void {
    const layer = this.layers[k]!;
    const parent = this.layers[k + 1] ?? null;
    const azimuth = (this.sun.azimuth * Math.PI) / 180;
    const dx = Math.sin(azimuth);
    const dy = Math.cos(azimuth);
    const tangent = Math.tan((Math.max(0.1, Math.min(89.9, this.sun.elevation)) * Math.PI) / 180);
    const alongX = Math.abs(dx) >= Math.abs(dy);
    const major = alongX ? 1 : SIZE;
    const minor = alongX ? SIZE : 1;
    const sign = Math.sign(alongX ? dx : dy);
    const shift = (alongX ? dy : dx) / Math.abs(alongX ? dx : dy);
    const step = layer.cell * Math.hypot(1, shift);
    const drop = step * tangent;
    const { h, ceiling, reach } = layer;
    const whole = Math.floor(shift);
    const weight = shift - whole;
    for (let n = 0; n < SIZE; n++) {
      const a = sign > 0 ? SIZE - 1 - n : n;
      const line = a * major;
      const sunward = line + sign * major;
      for (let b = 0; b < SIZE; b++) {
        const at = line + b * minor;
        const b0 = b + whole;
        if (n === 0 || b0 < 0 || b0 + 1 >= SIZE) {
          this.inherit(layer, parent, at);
          continue;
        }
        const p = sunward + b0 * minor;
        const q = p + minor;
        const rise = h[p]! * (1 - weight) + h[q]! * weight;
        const above = ceiling[p]! * (1 - weight) + ceiling[q]! * weight;
        if (rise >= above) {
          ceiling[at] = rise - drop;
          reach[at] = step;
        } else {
          ceiling[at] = above - drop;
          reach[at] = reach[p]! * (1 - weight) + reach[q]! * weight + step;
        }
      }
    }
  }

  private inherit(layer: Layer, parent: Layer | null, at: number): void {
    layer.ceiling[at] = NEVER;
    layer.reach[at] = 0;
    if (!parent) return;
    const i = (layer.i0 + (at % SIZE)) / 2 - parent.i0;
    const j = (layer.j0 + Math.floor(at / SIZE)) / 2 - parent.j0;
    if (i < 0 || j < 0 || i > SIZE - 1 || j > SIZE - 1) return;
    // A node between two of the coarser layer takes the higher ceiling of both.
    for (const jj of [Math.floor(j), Math.ceil(j)])
      for (const ii of [Math.floor(i), Math.ceil(i)]) {
        const from = jj * SIZE + ii;
        if (parent.ceiling[from]! <= layer.ceiling[at]!) continue;
        layer.ceiling[at] = parent.ceiling[from]!;
        layer.reach[at] = parent.reach[from]!;
      }
  }

  /** Gradients, light and cover of the nodes that changed; light of all, as shadows reach beyond the change. */
  private shade(layer: Layer, k: number, changed: Rect | null): void {
    const { h, rut, ceiling, reach, height, detail, cell } = layer;
    const tangent = Math.tan((Math.max(0.1, Math.min(89.9, this.sun.elevation)) * Math.PI) / 180);
    const soft = 2 * SUN_RADIUS * (1 + tangent * tangent);
    const least = 0.5 * cell * Math.min(1, tangent) + 1e-4;
    let j0 = SIZE;
    let j1 = 0;
    for (let j = 0; j < SIZE; j++)
      for (let i = 0; i < SIZE; i++) {
        const at = j * SIZE + i;
        const light = 0.5 + (h[at]! - ceiling[at]!) / Math.max(least, soft * reach[at]!);
        const lit = light < 0 ? 0 : light > 1 ? 1 : light;
        height[2 * at + 1] = ceiling[at]!;
        if (detail[4 * at + 2] !== lit) {
          detail[4 * at + 2] = lit;
          if (j < j0) j0 = j;
          if (j >= j1) j1 = j + 1;
        }
      }
    if (changed) {
      const masked = this.ground.grids.some((g) => g.mask);
      const r = { i0: Math.max(0, changed.i0 - 1), j0: Math.max(0, changed.j0 - 1), i1: Math.min(SIZE, changed.i1 + 1), j1: Math.min(SIZE, changed.j1 + 1) };
      j0 = Math.min(j0, r.j0);
      j1 = Math.max(j1, r.j1);
      for (let j = r.j0; j < r.j1; j++) {
        const south = Math.max(0, j - 1) * SIZE;
        const north = Math.min(SIZE - 1, j + 1) * SIZE;
        for (let i = r.i0; i < r.i1; i++) {
          const at = j * SIZE + i;
          const west = i > 0 ? at - 1 : at;
          const east = i < SIZE - 1 ? at + 1 : at;
          height[2 * at] = h[at]!;
          detail[4 * at] = (h[east]! - h[west]!) / ((east - west) * cell);
          detail[4 * at + 1] = (h[north + i]! - h[south + i]!) / (((north - south) / SIZE) * cell);
          const disturbed = Math.min(1, Math.abs(rut[at]!) / DISTURBED);
          const covered = !masked || this.ground.hasGround(this.x(layer) + i * cell, this.y(layer) + j * cell);
          detail[4 * at + 3] = covered ? 1 - 0.5 * disturbed : 0;
        }
      }
    }
    if (j1 > j0) this.uploads.push({ layer: k, i0: 0, i1: SIZE, j0, j1 });
  }

  /** Share of sunlight at a point above the ground (local coordinates). */
  lightAt(x: number, y: number, z: number): number {
    for (const layer of this.layers) {
      const i = Math.round((x - this.x(layer)) / layer.cell);
      const j = Math.round((y - this.y(layer)) / layer.cell);
      if (!layer.valid || i < 0 || j < 0 || i >= SIZE || j >= SIZE) continue;
      const at = j * SIZE + i;
      const width = Math.max(layer.cell, 2 * SUN_RADIUS * layer.reach[at]!);
      return Math.min(1, Math.max(0, 0.5 + (z - layer.ceiling[at]!) / width));
    }
    return 1;
  }
}
