// The planned path: a line over the ground, way-points with posts, and their tolerance as circles; and a place that the
// address of the page names, marked likewise.

import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Run } from "../run.ts";

const COLOUR = "#56b4e9";
const PLACE_COLOUR = "#d55e00";
const CLEARANCE = 0.03; // of the line above the ground, in sizes of the rover

export class Route {
  readonly group = new THREE.Group();
  readonly marks: { position: THREE.Vector3; text: string }[] = [];
  private line = new LineMaterial({ color: COLOUR, linewidth: 2.5, dashed: true, dashSize: 0.5, gapSize: 0.25, transparent: true, opacity: 0.95 });
  private solid = new THREE.MeshBasicMaterial({ color: COLOUR });
  private placeLine = new LineMaterial({ color: PLACE_COLOUR, linewidth: 3 });
  private placeSolid = new THREE.MeshBasicMaterial({ color: PLACE_COLOUR });
  private place: [number, number] | null = null;

  constructor(private run: Run, private size: number) {
    const [ox, oy] = run.head.origin;
    const points = run.head.path.map(([x, y]) => new THREE.Vector2(x - ox, y - oy));
    const first = run.bodyPose(0, run.start);
    const route = first ? [new THREE.Vector2(first.position[0], first.position[1]), ...points] : points;
    if (route.length > 1) this.addLine(route, run, size);
    points.forEach((p, k) => this.addPost(p, String(k + 1), this.solid, this.line));
  }

  /** Marks a place of the world, once. */
  setPlace(place: [number, number] | null): void {
    if (!place || (this.place && place[0] === this.place[0] && place[1] === this.place[1])) return;
    this.place = place;
    const [ox, oy] = this.run.head.origin;
    this.addPost(new THREE.Vector2(place[0] - ox, place[1] - oy), "!", this.placeSolid, this.placeLine);
  }

  private addLine(route: THREE.Vector2[], run: Run, size: number): void {
    const flat: number[] = [];
    for (let k = 0; k + 1 < route.length; k++) {
      const length = route[k]!.distanceTo(route[k + 1]!);
      const steps = Math.min(400, Math.max(1, Math.ceil(length / 0.25)));
      for (let s = k === 0 ? 0 : 1; s <= steps; s++) {
        const p = route[k]!.clone().lerp(route[k + 1]!, s / steps);
        flat.push(p.x, p.y, run.ground.height(p.x, p.y) + CLEARANCE * size);
      }
    }
    const geometry = new LineGeometry();
    geometry.setPositions(flat);
    const line = new Line2(geometry, this.line);
    line.computeLineDistances();
    line.frustumCulled = false;
    this.group.add(line);
  }

  private addPost(p: THREE.Vector2, text: string, solid: THREE.Material, line: LineMaterial): void {
    const { run, size } = this;
    const z = run.ground.height(p.x, p.y);
    const height = 0.5 * size;
    const post = new THREE.Mesh(new THREE.CylinderGeometry(0.012 * size, 0.012 * size, height, 8), solid);
    post.rotation.x = Math.PI / 2;
    post.position.set(p.x, p.y, z + height / 2);
    this.group.add(post);
    const radius = run.head.tolerance > 0 ? run.head.tolerance : 0.15 * size;
    const ring: number[] = [];
    for (let n = 0; n <= 48; n++) {
      const a = (2 * Math.PI * n) / 48;
      const x = p.x + radius * Math.cos(a);
      const y = p.y + radius * Math.sin(a);
      ring.push(x, y, run.ground.height(x, y) + 0.5 * CLEARANCE * size);
    }
    const geometry = new LineGeometry();
    geometry.setPositions(ring);
    const circle = new Line2(geometry, line);
    circle.computeLineDistances();
    this.group.add(circle);
    this.marks.push({ position: new THREE.Vector3(p.x, p.y, z + height * 1.1), text });
  }

  dispose(): void {
    this.group.traverse((o) => {
      if (o instanceof THREE.Mesh) (o.geometry as THREE.BufferGeometry).dispose();
    });
    this.line.dispose();
    this.solid.dispose();
    this.placeLine.dispose();
    this.placeSolid.dispose();
  }
}
