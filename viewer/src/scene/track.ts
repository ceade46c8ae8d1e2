// The track: a ribbon behind each wheel, narrower than its rut, coloured by slip or sinkage; it grows with the shown time.

import * as THREE from "three";
import { cividis, toLinear, viridis } from "../colours.ts";
import type { Run } from "../run.ts";

export type TrackValue = "slip" | "sinkage";
const MAX_POINTS = 6000; // for each wheel
const LIFT = 0.004;      // m above the bottom of the wheel

export interface TrackScale {
  lower: number;
  upper: number;
  unit: string;
}

interface Ribbon {
  mesh: THREE.Mesh;
  times: Float64Array;
}

/** Robust upper end: the 98th percentile, rounded up to 1, 2 or 5 times a power of ten. */
function niceUpper(values: number[], least: number): number {
  const sorted = values.filter((v) => Number.isFinite(v)).map(Math.abs).sort((a, b) => a - b);
  const v = Math.max(least, sorted[Math.floor(0.98 * (sorted.length - 1))] ?? least);
  const power = 10 ** Math.floor(Math.log10(v));
  return [1, 2, 5, 10].map((m) => m * power).find((n) => n >= 0.999 * v) ?? v;
}

export class Track {
  readonly group = new THREE.Group();
  scale: TrackScale = { lower: 0, upper: 1, unit: "" };
  private ribbons: Ribbon[] = [];
  private material = new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.DoubleSide, transparent: true, opacity: 0.8, depthWrite: false });
  private built = 0; // samples that are in the ribbons

  constructor(private run: Run, private value: TrackValue) {
    // The ground is drawn with coarser triangles than the track: in the depth test the ribbon counts as a little nearer.
    const nearer = Math.max(0.05, ...run.head.rover.wheels.map((w) => 0.6 * w.radius));
    this.material.onBeforeCompile = (shader) => {
      shader.vertexShader = shader.vertexShader.replace("#include <project_vertex>", `#include <project_vertex>
        vec4 nearer = projectionMatrix * (mvPosition + vec4(0.0, 0.0, ${nearer.toFixed(4)}, 0.0));
        gl_Position.z = nearer.z * gl_Position.w / nearer.w;`);
    };
    this.build();
  }

  setValue(value: TrackValue): void {
    if (value === this.value) return;
    this.value = value;
    this.build();
  }

  /**
   * Takes in new samples of a live run: now and then, and whenever the scale changes, so that all viewers of a run see the same colours.
   * True: the scale is another one.
   */
  refresh(): boolean {
    const before = this.scale.upper;
    const { values } = this.sample();
    this.setScale(values);
    const grown = this.scale.upper !== before;
    if (grown || this.run.columns.length > 1.1 * this.built + 40) this.build();
    return grown;
  }

  /** Samples that the ribbons have, and their values for each wheel. */
  private sample(): { indices: number[]; values: number[][] } {
    const { columns, head } = this.run;
    const step = Math.max(1, Math.ceil(columns.length / MAX_POINTS));
    const field = this.value === "slip" ? "slip" : "sinkage_m";
    const indices: number[] = [];
    for (let k = 0; k < columns.length; k += step) indices.push(k);
    const valueColumns = head.rover.wheels.map((_, w) => this.run.wheelColumn(w, field));
    return { indices, values: valueColumns.map((c) => indices.map((k) => (c < 0 ? NaN : columns.get(c, k)))) };
  }

  private setScale(values: number[][]): void {
    const all = values.flat();
    this.scale = this.value === "slip" ? { lower: 0, upper: Math.min(1, niceUpper(all, 0.1)), unit: "" } : { lower: 0, upper: 1000 * niceUpper(all, 0.01), unit: "mm" };
  }

  private build(): void {
    this.clear();
    const { indices, values } = this.sample();
    this.built = this.run.columns.length;
    this.setScale(values);
    this.run.head.rover.wheels.forEach((_, w) => this.addRibbon(w, indices, values[w]!));
  }

  private addRibbon(wheel: number, indices: number[], values: number[]): void {
    const { columns, head } = this.run;
    const half = 0.22 * head.rover.wheels[wheel]!.width;
    const position: number[] = [];
    const colour: number[] = [];
    const times: number[] = [];
    const scale = this.value === "slip" ? viridis : cividis;
    const factor = (this.value === "slip" ? 1 : 1000) / this.scale.upper;
    indices.forEach((k, n) => {
      const t = columns.get(0, k);
      const pose = this.run.wheelPose(wheel, t);
      if (!pose) return;
      const w = head.rover.wheels[wheel]!;
      const flat = Math.hypot(pose.axle[0], pose.axle[1]) || 1;
      const [ax, ay] = [(pose.axle[0] / flat) * half, (pose.axle[1] / flat) * half];
      const z = pose.centre[2] - w.radius + LIFT;
      position.push(pose.centre[0] - ax, pose.centre[1] - ay, z, pose.centre[0] + ax, pose.centre[1] + ay, z);
      const c = Number.isNaN(values[n]!) ? [0.4, 0.4, 0.4] : toLinear(scale(Math.abs(values[n]!) * factor));
      colour.push(...c, ...c);
      times.push(t);
    });
    const index: number[] = [];
    for (let n = 0; n + 1 < times.length; n++) index.push(2 * n, 2 * n + 1, 2 * n + 2, 2 * n + 1, 2 * n + 3, 2 * n + 2);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
    geometry.setAttribute("color", new THREE.Float32BufferAttribute(colour, 3));
    geometry.setIndex(index);
    const mesh = new THREE.Mesh(geometry, this.material);
    mesh.frustumCulled = false;
    this.ribbons.push({ mesh, times: Float64Array.from(times) });
    this.group.add(mesh);
  }

  setTime(t: number): void {
    for (const { mesh, times } of this.ribbons) {
      let n = 0;
      let upper = times.length;
      while (n < upper) {
        const middle = (n + upper) >> 1;
        if (times[middle]! <= t) n = middle + 1;
        else upper = middle;
      }
      mesh.geometry.setDrawRange(0, 6 * Math.max(0, n - 1));
    }
  }

  private clear(): void {
    for (const { mesh } of this.ribbons) {
      this.group.remove(mesh);
      mesh.geometry.dispose();
    }
    this.ribbons = [];
  }

  dispose(): void {
    this.clear();
    this.material.dispose();
  }
}
