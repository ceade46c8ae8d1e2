// Normals of a mesh of triangles: smooth over rounded parts, hard at edges. A corner's normal is the mean of the normals of the
// triangles around its vertex that lean from its own triangle by less than an angle, weighted by their areas.

import type { Mesh } from "./head.ts";

const COS_CREASE = Math.cos((35 * Math.PI) / 180);

export interface Corners {
  /** Three corners for each triangle, one after another. */
  positions: Float32Array;
  normals: Float32Array;
}

/** Twice the area times the normal of each triangle. */
function areaNormals(positions: Float32Array): Float64Array {
  const out = new Float64Array(positions.length / 3);
  for (let t = 0; t < positions.length / 9; t++) {
    const at = (k: number, axis: number) => positions[9 * t + 3 * k + axis]! - positions[9 * t + axis]!;
    for (let axis = 0; axis < 3; axis++) {
      const [b, c] = [(axis + 1) % 3, (axis + 2) % 3];
      out[3 * t + axis] = at(1, b) * at(2, c) - at(1, c) * at(2, b);
    }
  }
  return out;
}

/** Triangles around each vertex: those of vertex v are list[start[v]] to list[start[v + 1] - 1]. */
function trianglesAround(faces: ArrayLike<number>, vertexCount: number): { start: Uint32Array; list: Uint32Array } {
  const start = new Uint32Array(vertexCount + 1);
  for (let k = 0; k < faces.length; k++) start[faces[k]! + 1]!++;
  for (let v = 0; v < vertexCount; v++) start[v + 1]! += start[v]!;
  const next = start.slice();
  const list = new Uint32Array(faces.length);
  for (let k = 0; k < faces.length; k++) list[next[faces[k]!]!++] = Math.floor(k / 3);
  return { start, list };
}

export function creasedCorners(mesh: Mesh): Corners {
  const { vertices, faces } = mesh;
  const positions = new Float32Array(3 * faces.length);
  for (let k = 0; k < faces.length; k++) for (let axis = 0; axis < 3; axis++) positions[3 * k + axis] = vertices[3 * faces[k]! + axis]!;
  const areas = areaNormals(positions);
  const length = (t: number) => Math.hypot(areas[3 * t]!, areas[3 * t + 1]!, areas[3 * t + 2]!);
  const { start, list } = trianglesAround(faces, vertices.length / 3);
  const normals = new Float32Array(3 * faces.length);
  for (let k = 0; k < faces.length; k++) {
    const own = Math.floor(k / 3);
    const ownLength = length(own);
    let [x, y, z] = [0, 0, 0];
    for (let n = start[faces[k]!]!; n < start[faces[k]! + 1]!; n++) {
      const t = list[n]!;
      const along = areas[3 * t]! * areas[3 * own]! + areas[3 * t + 1]! * areas[3 * own + 1]! + areas[3 * t + 2]! * areas[3 * own + 2]!;
      if (t !== own && along < COS_CREASE * length(t) * ownLength) continue;
      x += areas[3 * t]!;
      y += areas[3 * t + 1]!;
      z += areas[3 * t + 2]!;
    }
    const norm = Math.hypot(x, y, z) || 1;
    normals.set([x / norm, y / norm, z / norm], 3 * k);
  }
  return { positions, normals };
}
