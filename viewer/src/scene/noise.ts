// A tiling texture of grain: normal x, y and albedo from a sum of periodic value noise. Made once, on the CPU, so that the
// shader needs one look-up and far grain is filtered by mipmaps instead of shimmering.

import * as THREE from "three";

export const NOISE_SIZE = 256;
const N = NOISE_SIZE;

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

export function makeNoise(smooth: boolean): THREE.DataTexture {
  const height = new Float32Array(N * N);
  const albedo = new Float32Array(N * N);
  [8, 16, 32, 64, 128].forEach((cells, k) => {
    addNoise(height, cells, 0.75 ** k, 11 + k);
    addNoise(albedo, cells, 0.7 ** k, 97 + k);
  });
  const data = new Uint8Array(4 * N * N);
  const byte = (x: number) => Math.max(0, Math.min(255, Math.round(127.5 + 127.5 * x)));
  for (let j = 0; j < N; j++)
    for (let i = 0; i < N; i++) {
      const at = j * N + i;
      const east = height[j * N + ((i + 1) % N)]!;
      const north = height[((j + 1) % N) * N + i]!;
      data.set([byte(3 * (east - height[at]!)), byte(3 * (north - height[at]!)), byte(0.7 * albedo[at]!), 255], 4 * at);
    }
  const texture = new THREE.DataTexture(data, N, N);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.magFilter = THREE.LinearFilter;
  texture.minFilter = smooth ? THREE.LinearMipmapLinearFilter : THREE.LinearMipmapNearestFilter;
  texture.generateMipmaps = true;
  texture.needsUpdate = true;
  return texture;
}
