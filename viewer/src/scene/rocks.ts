// Rocks: fixed ones merged by patches of the map, so that those out of sight or too small to see cost nothing; loose ones
// as single meshes that move.

import * as THREE from "three";
import type { Run } from "../run.ts";
import type { RockShape } from "../stream.ts";
import { castShadows, disposeTree, setQuaternion } from "./shapes.ts";

const PATCH = 24; // m
const PIXELS = 1.2; // a patch whose largest rock is smaller than this is not drawn

function rockMatrix(rock: RockShape): THREE.Matrix4 {
  const q = new THREE.Quaternion();
  setQuaternion(q, rock.rotation);
  return new THREE.Matrix4().compose(new THREE.Vector3(...rock.position), q, new THREE.Vector3(1, 1, 1));
}

/** Facets of a rock in its own frame. */
function facets(rock: RockShape): Float32Array {
  if (rock.faces.length > 0) {
    const out = new Float32Array(3 * rock.faces.length);
    rock.faces.forEach((v, k) => out.set(rock.vertices.subarray(3 * v, 3 * v + 3), 3 * k));
    return out;
  }
  const sphere = new THREE.IcosahedronGeometry(1, 2);
  const out = new Float32Array(sphere.getAttribute("position").array);
  for (let k = 0; k < out.length; k++) out[k]! *= rock.half[k % 3]!;
  sphere.dispose();
  return out;
}

function geometryOf(positions: Float32Array): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  geometry.computeVertexNormals(); // not indexed: one normal a facet
  geometry.computeBoundingSphere();
  return geometry;
}

export class Rocks {
  readonly group = new THREE.Group();
  private loose: THREE.Mesh[] = [];
  private patches: { mesh: THREE.Mesh; largest: number }[] = [];

  constructor(private run: Run, material: THREE.Material) {
    const byPatch = new Map<string, RockShape[]>();
    run.rocks.forEach((rock, index) => {
      if (index < run.head.rocks.loose) {
        const mesh = new THREE.Mesh(geometryOf(facets(rock)), material);
        mesh.applyMatrix4(rockMatrix(rock));
        this.loose.push(mesh);
        this.group.add(mesh);
        return;
      }
      if (!run.ground.empty && !run.ground.hasGround(rock.position[0], rock.position[1])) return;
      const key = `${Math.floor(rock.position[0] / PATCH)} ${Math.floor(rock.position[1] / PATCH)}`;
      const list = byPatch.get(key);
      if (list) list.push(rock);
      else byPatch.set(key, [rock]);
    });
    for (const rocks of byPatch.values()) this.addPatch(rocks, material);
    castShadows(this.group);
  }

  private addPatch(rocks: RockShape[], material: THREE.Material): void {
    const parts = rocks.map((rock) => {
      const points = facets(rock);
      const matrix = rockMatrix(rock);
      const p = new THREE.Vector3();
      for (let k = 0; k < points.length; k += 3) {
        p.fromArray(points, k).applyMatrix4(matrix).toArray(points, k);
      }
      return points;
    });
    const all = new Float32Array(parts.reduce((n, p) => n + p.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    const mesh = new THREE.Mesh(geometryOf(all), material);
    this.patches.push({ mesh, largest: Math.max(...rocks.map((r) => Math.max(...r.half))) });
    this.group.add(mesh);
  }

  setTime(t: number): void {
    this.loose.forEach((mesh, index) => {
      const pose = this.run.rockPose(index, t);
      if (!pose) return;
      mesh.position.set(...pose.position);
      setQuaternion(mesh.quaternion, pose.rotation);
    });
  }

  /** Hides patches of which nothing would be seen. */
  cull(eye: THREE.Vector3, pixelAngle: number): void {
    for (const { mesh, largest } of this.patches) {
      const sphere = mesh.geometry.boundingSphere!;
      const distance = Math.max(0.1, sphere.center.distanceTo(eye) - sphere.radius);
      mesh.visible = (2 * largest) / distance > PIXELS * pixelAngle;
    }
  }

  dispose(): void {
    disposeTree(this.group);
  }
}
