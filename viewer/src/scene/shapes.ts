// Meshes of the shapes of bodies and parts.

import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { creasedCorners } from "../creases.ts";
import type { Mesh as MeshData, Quat, Shape, Vec3 } from "../head.ts";
import type { Palette } from "./materials.ts";

export function setQuaternion(target: THREE.Quaternion, q: Quat): void {
  target.set(q[1], q[2], q[3], q[0]);
}

export function meshGeometry(mesh: MeshData): THREE.BufferGeometry {
  const { positions, normals } = creasedCorners(mesh);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  return geometry;
}

function boxGeometry(size: Vec3): THREE.BufferGeometry {
  const least = Math.max(1e-3, Math.min(...size));
  return new RoundedBoxGeometry(Math.max(1e-3, size[0]), Math.max(1e-3, size[1]), Math.max(1e-3, size[2]), 2, Math.min(0.12 * least, 0.03));
}

function rodMesh(from: Vec3, to: Vec3, radius: number, material: THREE.Material): THREE.Object3D {
  const a = new THREE.Vector3(...from);
  const b = new THREE.Vector3(...to);
  const group = new THREE.Group();
  const length = a.distanceTo(b);
  const tube = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, Math.max(length, 1e-4), 14), material);
  tube.position.copy(a).add(b).multiplyScalar(0.5);
  if (length > 0) tube.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), b.clone().sub(a).normalize());
  group.add(tube);
  for (const end of [a, b]) {
    const ball = new THREE.Mesh(new THREE.SphereGeometry(radius, 12, 8), material);
    ball.position.copy(end);
    group.add(ball);
  }
  return group;
}

/** A flat box (a deck or panel) looks different from a compact one. */
function isPlate(size: Vec3): boolean {
  const [least, middle] = [...size].sort((a, b) => a - b) as [number, number, number];
  return least < 0.12 * middle;
}

function place(object: THREE.Object3D, position: Vec3, rotation: Quat): THREE.Object3D {
  object.position.set(...position);
  setQuaternion(object.quaternion, rotation);
  return object;
}

/** `surface`: what is drawn of a mesh. */
export function shapeObject(shape: Shape, palette: Palette, surface: MeshData | null = null, part = false): THREE.Object3D {
  switch (shape.kind) {
    case "box":
      return place(new THREE.Mesh(boxGeometry(shape.size), part ? palette.part : isPlate(shape.size) ? palette.plate : palette.body), shape.position, shape.rotation);
    case "cylinder":
      return place(new THREE.Mesh(new THREE.CylinderGeometry(shape.radius, shape.radius, shape.length, 28), part ? palette.part : palette.round), shape.position, shape.rotation);
    case "sphere":
      return place(new THREE.Mesh(new THREE.SphereGeometry(shape.radius, 24, 16), part ? palette.part : palette.round), shape.position, [1, 0, 0, 0]);
    case "rod":
      return rodMesh(shape.from, shape.to, shape.radius, part ? palette.part : palette.rod);
    case "mesh": {
      const mesh = surface ?? shape.mesh;
      return mesh ? place(new THREE.Mesh(meshGeometry(mesh), part ? palette.part : palette.mesh), shape.position, shape.rotation) : new THREE.Group();
    }
  }
}

export function castShadows(object: THREE.Object3D, receive = true): void {
  object.traverse((o) => {
    if (o instanceof THREE.Mesh) {
      o.castShadow = true;
      o.receiveShadow = receive;
    }
  });
}

export function disposeTree(object: THREE.Object3D): void {
  object.traverse((o) => {
    if (o instanceof THREE.Mesh || o instanceof THREE.Line) (o.geometry as THREE.BufferGeometry).dispose();
  });
}
