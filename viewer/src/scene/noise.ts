// A tiling texture of grain and lumps: slope x, y and albedo from sums of periodic value noise at two scales. Made once, on the
// CPU, so that the shader needs one look-up for both, which is what counts in software rendering, and far grain is filtered by mipmaps
// instead of shimmering.

import * as THREE from "three";

const N = 256;        // texels of a tile of noise
const REPEATS = 13;   // tiles of grain along one tile of lumps
const SIZE = 2048;    // texels of the texture
export const NOISE_METRES = 14.4; // that it covers
export const NOISE_TEXEL = NOISE_METRES / SIZE;
/** A stored value v, 0 to 1, stands for NOISE_RANGE (v - 0.5). */
export const NOISE_RANGE = 0.7;
const [GRAIN_SLOPE, LUMP_SLOPE, GRAIN_ALBEDO, LUMP_ALBEDO] = [0.34, 0.16, 0.35, 0.5];

function random(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

/** Periodic value noise of the given number of cells, added to `out`. */
function addNoise(out: Float32Array, cells: number, amplitude: number, seed: number): void {
  const next = random(seed);
  const grid = Float32Array.from({ length: cells * cells }, () => next() - 0.5);
  const smooth = (t: number) => t * t * (3 - 2 * t);
  for (let j = 0; j < N; j++)
    for (let i = 0; i < N; i++) {
      const u = (i * cells) / N;
      const v = (j * cells) / N;
      const i0 = Math.floor(u);
      const j0 = Math.floor(v);
      const fu = smooth(u - i0);
      const fv = smooth(v - j0);
      const at = (a: number, b: number) => grid[(b % cells) * cells + (a % cells)]!;
      const south = at(i0, j0) * (1 - fu) + at(i0 + 1, j0) * fu;
      const north = at(i0, j0 + 1) * (1 - fu) + at(i0 + 1, j0 + 1) * fu;
      out[j * N + i]! += amplitude * (south * (1 - fv) + north * fv);
    }
}

interface Tile {
  x: Float32Array; // slope
  y: Float32Array;
  albedo: Float32Array;
}

/** One tile, -0.5 to 0.5. */
function makeTile(): Tile {
  const height = new Float32Array(N * N);
  const albedo = new Float32Array(N * N);
  [8, 16, 32, 64, 128].forEach((cells, k) => {
    addNoise(height, cells, 0.75 ** k, 11 + k);
    addNoise(albedo, cells, 0.7 ** k, 97 + k);
  });
  const tile: Tile = { x: new Float32Array(N * N), y: new Float32Array(N * N), albedo: albedo.map((a) => 0.35 * a) };
  for (let j = 0; j < N; j++)
    for (let i = 0; i < N; i++) {
      const at = j * N + i;
      tile.x[at] = 1.5 * (height[j * N + ((i + 1) % N)]! - height[at]!);
      tile.y[at] = 1.5 * (height[((j + 1) % N) * N + i]! - height[at]!);
    }
  return tile;
}

/** Places and weights of the two texels of a tile around each texel of the texture, `repeats` tiles along it. */
function taps(repeats: number): { first: Uint16Array; second: Uint16Array; weight: Float32Array } {
  const out = { first: new Uint16Array(SIZE), second: new Uint16Array(SIZE), weight: new Float32Array(SIZE) };
  for (let k = 0; k < SIZE; k++) {
    const u = (k * repeats * N) / SIZE;
    out.first[k] = Math.floor(u) % N;
    out.second[k] = (Math.floor(u) + 1) % N;
    out.weight[k] = u - Math.floor(u);
  }
  return out;
}

/** Adds a tile, bilinear, repeated and scaled, to the texture's three channels. */
function spread(tile: Tile, repeats: number, slope: number, albedo: number, out: Float32Array): void {
  const t = taps(repeats);
  const channels: [Float32Array, number][] = [[tile.x, slope], [tile.y, slope], [tile.albedo, albedo]];
  const row = new Float32Array(N);
  for (let j = 0; j < SIZE; j++) {
    const [south, north, v] = [t.first[j]! * N, t.second[j]! * N, t.weight[j]!];
    channels.forEach(([from, scale], c) => {
      for (let i = 0; i < N; i++) row[i] = scale * (from[south + i]! * (1 - v) + from[north + i]! * v);
      for (let i = 0; i < SIZE; i++) {
        const u = t.weight[i]!;
        out[3 * (j * SIZE + i) + c]! += row[t.first[i]!]! * (1 - u) + row[t.second[i]!]! * u;
      }
    });
  }
}

let pixels: Uint8Array<ArrayBuffer> | null = null; // the same for all textures

function makePixels(): Uint8Array<ArrayBuffer> {
  const tile = makeTile();
  const sum = new Float32Array(3 * SIZE * SIZE);
  spread(tile, REPEATS, GRAIN_SLOPE, GRAIN_ALBEDO, sum);
  spread(tile, 1, LUMP_SLOPE, LUMP_ALBEDO, sum);
  const data = new Uint8Array(4 * SIZE * SIZE);
  for (let k = 0; k < SIZE * SIZE; k++)
    for (let c = 0; c < 3; c++) data[4 * k + c] = Math.max(0, Math.min(255, Math.round(127.5 + (255 / NOISE_RANGE) * sum[3 * k + c]!)));
  return data;
}

export function makeNoise(smooth: boolean): THREE.DataTexture {
  pixels ??= makePixels();
  const texture = new THREE.DataTexture(pixels, SIZE, SIZE);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.magFilter = THREE.LinearFilter;
  texture.minFilter = smooth ? THREE.LinearMipmapLinearFilter : THREE.LinearMipmapNearestFilter;
  texture.generateMipmaps = true;
  texture.needsUpdate = true;
  return texture;
}
