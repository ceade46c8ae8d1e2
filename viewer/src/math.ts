// Small vector and quaternion algebra on plain arrays (w, x, y, z), without three.js: used by the run store and its tests.

import type { Quat, Vec3 } from "./head.ts";

export function clamp(x: number, lower: number, upper: number): number {
  return x < lower ? lower : x > upper ? upper : x;
}

export function lerp(a: number, b: number, t: number): number {
  return a + (b - a) * t;
}

export function add(a: Vec3, b: Vec3): Vec3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function scale(a: Vec3, s: number): Vec3 {
  return [a[0] * s, a[1] * s, a[2] * s];
}

export function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function normalize(a: Vec3): Vec3 {
  const n = Math.hypot(a[0], a[1], a[2]);
  return n > 0 ? scale(a, 1 / n) : [0, 0, 1];
}

/** v in the frame rotated by q, expressed in the outer frame. */
export function rotate(q: Quat, v: Vec3): Vec3 {
  const u: Vec3 = [q[1], q[2], q[3]];
  const t = scale(cross(u, v), 2);
  return add(add(v, scale(t, q[0])), cross(u, t));
}

export function multiply(a: Quat, b: Quat): Quat {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

/** Spherical interpolation along the shorter arc. */
export function slerp(a: Quat, b: Quat, t: number): Quat {
  let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cosine < 0 ? -1 : 1;
  cosine *= sign;
  let wa = 1 - t;
  let wb = t * sign;
  if (cosine < 0.9995) {
    const angle = Math.acos(cosine);
    const s = Math.sin(angle);
    wa = Math.sin((1 - t) * angle) / s;
    wb = (Math.sin(t * angle) / s) * sign;
  }
  const q: Quat = [wa * a[0] + wb * b[0], wa * a[1] + wb * b[1], wa * a[2] + wb * b[2], wa * a[3] + wb * b[3]];
  const n = Math.hypot(...q);
  return n > 0 ? (q.map((x) => x / n) as Quat) : [1, 0, 0, 0];
}
