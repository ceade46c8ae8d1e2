// Drawings on top of the scene that explain it: forces, contact states, frames, stability, contact pressure.
// Each can be switched; those that are off cost nothing. Labels are only described here; the page shows them as text.

import * as THREE from "three";
import { CATEGORIES, cividis, css, stateColour, toLinear } from "../colours.ts";
import type { Run } from "../run.ts";
import { contactPoint, stability, type Stability } from "../stability.ts";
import { Arrows } from "./arrows.ts";
import { setQuaternion } from "./shapes.ts";

export const OVERLAYS = ["forces", "track", "states", "frames", "path", "stability", "pressure"] as const;
export type OverlayName = (typeof OVERLAYS)[number];

export interface Label {
  position: THREE.Vector3;
  text: string;
  colour: string;
}

const FORCE_COLOURS = { normal: CATEGORIES[4]!, along: CATEGORIES[1]!, across: CATEGORIES[3]! };
export const FORCE_LEGEND: [string, string][] = [["along", FORCE_COLOURS.along], ["across", FORCE_COLOURS.across], ["normal", FORCE_COLOURS.normal]];

interface WheelColumns {
  fx: number;
  fy: number;
  fz: number;
  load: number;
  sinkage: number;
  state: number;
  slip: number;
}

export class Overlays {
  readonly group = new THREE.Group();
  readonly labels: Label[] = [];
  /** Newtons that an arrow of one metre means. */
  readonly newtonPerMetre: number;
  stability: Stability | null = null;
  pressureMax = 0;
  private arrows: { along: Arrows; across: Arrows; normal: Arrows };
  private axes: THREE.Group[] = [];
  private rings: THREE.Mesh[] = [];
  private patches: THREE.Mesh[] = [];
  private centre: THREE.Mesh;
  private plumb: THREE.Line;
  private outline: THREE.LineLoop;
  private fill: THREE.Mesh;
  private columns: WheelColumns[];

  constructor(private run: Run, private size: number) {
    const { wheels, bodies } = run.head.rover;
    const weight = bodies.reduce((m, b) => m + b.mass, 0) * Math.hypot(...run.head.gravity);
    this.newtonPerMetre = Math.max(1e-6, weight / Math.max(1, wheels.length)) / (0.45 * size);
    const arrows = (colour: string) => new Arrows(colour, wheels.length, 0.012 * size);
    this.arrows = { along: arrows(FORCE_COLOURS.along), across: arrows(FORCE_COLOURS.across), normal: arrows(FORCE_COLOURS.normal) };
    for (const a of Object.values(this.arrows)) this.group.add(a.group);
    this.columns = wheels.map((_, w) => {
      const c = (field: string) => run.wheelColumn(w, field);
      return { fx: c("fx_N"), fy: c("fy_N"), fz: c("fz_N"), load: c("load_N"), sinkage: c("sinkage_m"), state: c("state"), slip: c("slip") };
    });
    bodies.forEach(() => this.axes.push(this.makeAxes()));
    wheels.forEach((w) => {
      const ring = new THREE.Mesh(new THREE.TorusGeometry(1.22 * w.radius + w.grousers.height, 0.05 * w.radius, 8, 40), new THREE.MeshBasicMaterial());
      ring.matrixAutoUpdate = true;
      this.rings.push(ring);
      this.group.add(ring);
      const patch = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.DoubleSide, depthTest: false, transparent: true, opacity: 0.9 }));
      patch.frustumCulled = false;
      patch.renderOrder = 5;
      this.patches.push(patch);
      this.group.add(patch);
    });
    this.centre = new THREE.Mesh(new THREE.SphereGeometry(0.04 * size, 20, 12), new THREE.MeshBasicMaterial({ color: CATEGORIES[6]!, depthTest: false, transparent: true }));
    this.centre.renderOrder = 6;
    const line = () => new THREE.LineBasicMaterial({ color: CATEGORIES[6]!, depthTest: false, transparent: true });
    this.plumb = new THREE.Line(new THREE.BufferGeometry(), line());
    this.outline = new THREE.LineLoop(new THREE.BufferGeometry(), line());
    this.fill = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ color: CATEGORIES[6]!, transparent: true, opacity: 0.18, side: THREE.DoubleSide, depthWrite: false }));
    for (const o of [this.plumb, this.outline, this.fill]) {
      o.frustumCulled = false;
      o.renderOrder = 4;
    }
    this.group.add(this.centre, this.plumb, this.outline, this.fill);
  }

  private makeAxes(): THREE.Group {
    const group = new THREE.Group();
    const length = 0.18 * this.size;
    const directions: [THREE.Vector3, string][] = [[new THREE.Vector3(1, 0, 0), "#d55e00"], [new THREE.Vector3(0, 1, 0), "#009e73"], [new THREE.Vector3(0, 0, 1), "#0072b2"]];
    for (const [direction, colour] of directions) {
      const bar = new THREE.Mesh(new THREE.CylinderGeometry(0.006 * this.size, 0.006 * this.size, length, 6), new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true }));
      bar.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), direction);
      bar.position.copy(direction).multiplyScalar(length / 2);
      bar.renderOrder = 7;
      group.add(bar);
    }
    this.group.add(group);
    return group;
  }

  /** Shows everything that is switched on at time t. */
  setTime(t: number, on: ReadonlySet<OverlayName>): void {
    this.labels.length = 0;
    this.showForces(t, on.has("forces"));
    this.showStates(t, on.has("states"));
    this.showFrames(t, on.has("frames"));
    this.stability = stability(this.run, t);
    this.showStability(on.has("stability"));
    this.showPressure(t, on.has("pressure"));
  }

  /** Wheel's ground frame: along the direction of travel, across to the left, and normal. */
  private groundFrame(wheel: number, t: number): { point: THREE.Vector3; along: THREE.Vector3; across: THREE.Vector3; normal: THREE.Vector3 } | null {
    const pose = this.run.wheelPose(wheel, t);
    const contact = contactPoint(this.run, wheel, t);
    if (!pose || !contact) return null;
    const point = new THREE.Vector3(...contact);
    const d = Math.max(0.05, this.run.head.rover.wheels[wheel]!.radius);
    const h = (x: number, y: number) => this.run.ground.height(x, y);
    const normal = new THREE.Vector3((h(point.x - d, point.y) - h(point.x + d, point.y)) / (2 * d), (h(point.x, point.y - d) - h(point.x, point.y + d)) / (2 * d), 1).normalize();
    const along = new THREE.Vector3(...pose.axle).cross(normal).normalize();
    return { point, along, across: normal.clone().cross(along), normal };
  }

  private showForces(t: number, on: boolean): void {
    for (const a of Object.values(this.arrows)) a.begin();
    if (on)
      this.columns.forEach((c, w) => {
        const frame = this.groundFrame(w, t);
        if (!frame) return;
        const arrow = (arrows: Arrows, direction: THREE.Vector3, column: number) => {
          const force = this.run.columns.at(column, t);
          if (Number.isFinite(force)) arrows.add(frame.point, direction.clone().multiplyScalar(force / this.newtonPerMetre));
        };
        arrow(this.arrows.along, frame.along, c.fx);
        arrow(this.arrows.across, frame.across, c.fy);
        arrow(this.arrows.normal, frame.normal, c.fz);
      });
    for (const a of Object.values(this.arrows)) a.end();
  }

  private showStates(t: number, on: boolean): void {
    this.rings.forEach((ring, w) => {
      const pose = on ? this.run.wheelPose(w, t) : null;
      ring.visible = pose !== null;
      if (!pose) return;
      const wheel = this.run.head.rover.wheels[w]!;
      const state = this.run.valueText(this.columns[w]!.state, t);
      const colour = stateColour(state);
      (ring.material as THREE.MeshBasicMaterial).color.set(colour);
      ring.position.set(...pose.centre);
      ring.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...pose.axle));
      const slip = this.run.columns.at(this.columns[w]!.slip, t);
      const slipText = Number.isFinite(slip) ? ` · slip ${(100 * slip).toFixed(0)} %` : "";
      this.labels.push({ position: new THREE.Vector3(pose.centre[0], pose.centre[1], pose.centre[2] + 1.5 * wheel.radius), text: state + slipText, colour });
    });
  }

  private showFrames(t: number, on: boolean): void {
    this.axes.forEach((axes, body) => {
      const pose = on ? this.run.bodyPose(body, t) : null;
      axes.visible = pose !== null;
      if (!pose) return;
      axes.position.set(...pose.position);
      setQuaternion(axes.quaternion, pose.rotation);
      this.labels.push({ position: axes.position.clone(), text: this.run.head.rover.bodies[body]!.name, colour: "" });
    });
  }

  private showStability(on: boolean): void {
    const s = on ? this.stability : null;
    for (const o of [this.centre, this.plumb, this.outline, this.fill]) o.visible = s !== null;
    if (!s) return;
    const centre = new THREE.Vector3(...s.centre);
    const polygon = s.polygon.map((p) => new THREE.Vector3(p[0], p[1], p[2] + 0.02));
    const foot = centre.clone();
    foot.z = polygon.length > 0 ? polygon.reduce((z, p) => z + p.z, 0) / polygon.length : this.run.height(centre.x, centre.y);
    this.centre.position.copy(centre);
    this.plumb.geometry.setFromPoints([centre, foot]);
    this.outline.geometry.setFromPoints(polygon.length > 2 ? polygon : [centre, centre]);
    const triangles = polygon.length > 2 ? polygon.flatMap((p, k) => [foot, p, polygon[(k + 1) % polygon.length]!]) : [];
    this.fill.geometry.setFromPoints(triangles);
    const margin = Number.isFinite(s.margin) ? `tip margin ${s.margin.toFixed(1)}°` : "no support";
    this.labels.push({ position: centre.clone().setZ(centre.z + 0.06 * this.size), text: margin, colour: s.margin < 10 ? CATEGORIES[5]! : CATEGORIES[6]! });
  }

  /** Mean pressure = load / (width x arc length), the arc from the sinkage of a rigid wheel on level ground: r acos(1 - z / r). */
  private showPressure(t: number, on: boolean): void {
    const shown: { w: number; pressure: number; angle: number }[] = [];
    if (on)
      this.columns.forEach((c, w) => {
        const wheel = this.run.head.rover.wheels[w]!;
        const load = this.run.columns.at(c.fz, t);
        const sinkage = this.run.columns.at(c.sinkage, t);
        if (!(load > 0) || !(sinkage > 0)) return;
        const angle = Math.acos(Math.max(-1, 1 - Math.min(sinkage, wheel.radius) / wheel.radius));
        shown.push({ w, angle, pressure: load / (wheel.width * Math.max(wheel.radius * angle, 1e-3)) });
      });
    this.pressureMax = Math.max(0, ...shown.map((s) => s.pressure));
    this.patches.forEach((patch) => (patch.visible = false));
    for (const s of shown) this.showPatch(s.w, s.angle, s.pressure, t);
  }

  private showPatch(w: number, angle: number, pressure: number, t: number): void {
    const wheel = this.run.head.rover.wheels[w]!;
    const frame = this.groundFrame(w, t);
    const pose = this.run.wheelPose(w, t);
    if (!frame || !pose) return;
    const axle = new THREE.Vector3(...pose.axle);
    const centre = new THREE.Vector3(...pose.centre);
    const down = frame.point.clone().sub(centre).normalize();
    const ahead = axle.clone().cross(down).negate();
    const steps = 10;
    const position: number[] = [];
    const colour: number[] = [];
    const radius = wheel.radius + wheel.grousers.height + 0.004;
    const rgb = toLinear(cividis(pressure / this.pressureMax));
    for (let k = 0; k <= steps; k++) {
      const a = (angle * k) / steps;
      const p = centre.clone().addScaledVector(down, radius * Math.cos(a)).addScaledVector(ahead, radius * Math.sin(a));
      for (const side of [-0.5, 0.5]) {
        position.push(...p.clone().addScaledVector(axle, side * wheel.width).toArray());
        colour.push(...rgb);
      }
    }
    const index: number[] = [];
    for (let k = 0; k < steps; k++) index.push(2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 1, 2 * k + 3, 2 * k + 2);
    const patch = this.patches[w]!;
    patch.geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
    patch.geometry.setAttribute("color", new THREE.Float32BufferAttribute(colour, 3));
    patch.geometry.setIndex(index);
    patch.visible = true;
    const text = pressure >= 1000 ? `${(pressure / 1000).toFixed(1)} kPa` : `${pressure.toFixed(0)} Pa`;
    this.labels.push({ position: frame.point, text, colour: css(cividis(0.35 + 0.65 * (pressure / this.pressureMax))) });
  }

  dispose(): void {
    for (const a of Object.values(this.arrows)) a.dispose();
    this.group.traverse((o) => {
      if (o instanceof THREE.Mesh || o instanceof THREE.Line) {
        (o.geometry as THREE.BufferGeometry).dispose();
        (o.material as THREE.Material).dispose();
      }
    });
  }
}
