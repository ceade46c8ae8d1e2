// A run: everything that a replay contains, fed chunk by chunk, and questions about it at a time.
//
// Positions in the store are local: world less HEAD.origin, in double precision.

import { Columns } from "./columns.ts";
import { Ground, HeightGrid } from "./ground.ts";
import { parseHead, type Column, type Head, type Mesh, type Quat, type Vec3 } from "./head.ts";
import { add, lerp, rotate, slerp } from "./math.ts";
import { Ruts } from "./ruts.ts";
import { decodeData, decodeGround, decodeJson, decodeRocks, decodeSoil, decodeSurface, StreamError, type Chunk, type DataBlock, type RockShape, type SoilBlock } from "./stream.ts";

const REST_SPEED = 1e-4; // m/s of rim and rover, below any drive: src/soil/evaluate.c counts such wheels as stuck

export interface Pose {
  position: Vec3;
  rotation: Quat;
}

export interface Done {
  outcome: string;
  cause: string;
  time: number | null;
  distance: number | null;
  warnings: { text: string; count: number; time: number | null }[];
  bands: string[]; // figures on samples of the soil, in words; none without them
}

/** What the page must build anew after a chunk. */
export type Change = "head" | "mesh" | "ground" | "soil" | "rocks" | "ruts" | "data" | "tail" | "done" | null;

export class Run {
  readonly ground = new Ground();
  readonly columns: Columns;
  readonly ruts: Ruts | null;
  readonly rocks: RockShape[] = [];
  soil: SoilBlock | null = null;
  private surfaces = new Map<number, Mesh>();
  done: Done | null = null;
  private poseColumns: number[][];
  private rockColumns: number[][];
  private byName = new Map<string, number>();

  constructor(readonly head: Head, public label: string) {
    this.columns = new Columns(head.columns);
    this.ruts = head.ruts ? new Ruts(head.ruts.cell, head.ruts.quantum) : null;
    head.columns.forEach((c, i) => this.byName.set(c.name, i));
    this.poseColumns = poseTable(head.columns, "pose", head.rover.bodies.length);
    this.rockColumns = poseTable(head.columns, "rock", Math.min(head.rocks.loose, head.columns.length));
  }

  static fromHead(chunk: Chunk, label: string): Run {
    const head = parseHead(decodeJson(chunk.data));
    return new Run(head, label || head.name);
  }

  get start(): number {
    return this.columns.start;
  }
  get end(): number {
    return this.columns.end;
  }

  /** Takes any chunk but HEAD. */
  feed(chunk: Chunk): Change {
    switch (chunk.type) {
      case "GRND": {
        const block = decodeGround(chunk.data, this.head.origin[2]);
        this.ground.add(new HeightGrid(block, block.x - this.head.origin[0], block.y - this.head.origin[1]));
        return "ground";
      }
      case "MESH": {
        const block = decodeSurface(chunk.data);
        this.surfaces.set(block.index, block);
        return "mesh";
      }
      case "SOIL":
        this.soil = decodeSoil(chunk.data);
        return "soil";
      case "ROCK": {
        const block = decodeRocks(chunk.data);
        if (block.first !== this.rocks.length) throw new StreamError("rocks are missing before these");
        for (const rock of block.rocks) {
          rock.position = this.toLocal(rock.position);
          this.rocks.push(rock);
        }
        return "rocks";
      }
      case "RUTS":
        this.ruts?.push(chunk.data);
        return "ruts";
      case "DATA":
        this.columns.append(this.rest(decodeData(chunk.data, this.head.columns.length)));
        return "data";
      case "LIVE":
        this.columns.setTail(this.rest(decodeData(chunk.data, this.head.columns.length)));
        return "tail";
      case "DONE":
        this.done = parseDone(decodeJson(chunk.data));
        return "done";
      default:
        return null;
    }
  }

  /** Slip of wheels at rest is 0: the ratio of two speeds that are noise could be anything. */
  private rest(block: DataBlock): DataBlock {
    const v = ["vx_m_per_s", "vy_m_per_s", "vz_m_per_s"].map((name) => block.columns[this.columnIndex(name)]);
    this.head.rover.wheels.forEach((wheel, w) => {
      const slip = block.columns[this.wheelColumn(w, "slip")];
      const rate = block.columns[this.wheelColumn(w, "speed_rad_per_s")];
      if (!slip || !rate || !v.every((c) => c)) return;
      for (let k = 0; k < block.n; k++)
        if (Math.abs(rate[k]!) * wheel.radius < REST_SPEED && Math.hypot(...v.map((c) => c![k]!)) < REST_SPEED) slip[k] = 0;
    });
    return block;
  }

  toLocal(p: Vec3): Vec3 {
    const o = this.head.origin;
    return [p[0] - o[0], p[1] - o[1], p[2] - o[2]];
  }

  /** What is drawn of a mesh: its triangles, or its hull where the replay has no triangles. */
  surface(of: { mesh: Mesh | null; surface: number }): Mesh | null {
    return this.surfaces.get(of.surface) ?? of.mesh;
  }

  columnIndex(name: string): number {
    return this.byName.get(name) ?? -1;
  }

  /** Index of a channel of a wheel (`slip`, `fz_N` …), -1 where it was not recorded. */
  wheelColumn(wheel: number, field: string): number {
    return this.head.columns.findIndex((c) => c.group === "wheel" && c.owner === wheel && c.field === field);
  }

  bodyPose(body: number, t: number): Pose | null {
    return this.pose(this.poseColumns[body], t);
  }

  rockPose(rock: number, t: number): Pose | null {
    return this.pose(this.rockColumns[rock], t);
  }

  private pose(table: number[] | undefined, t: number): Pose | null {
    if (!table) return null;
    const { index, fraction } = this.columns.locate(t);
    if (index < 0) return null;
    const a = this.poseAt(table, index);
    if (fraction === 0) return a;
    const b = this.poseAt(table, index + 1);
    return {
      position: [lerp(a.position[0], b.position[0], fraction), lerp(a.position[1], b.position[1], fraction), lerp(a.position[2], b.position[2], fraction)],
      rotation: slerp(a.rotation, b.rotation, fraction),
    };
  }

  private poseAt(table: number[], index: number): Pose {
    const v = (k: number) => this.columns.get(table[k]!, index);
    return { position: this.toLocal([v(0), v(1), v(2)]), rotation: [v(3), v(4), v(5), v(6)] };
  }

  /** Time at which the chassis is nearest to a place of the world, seen from above. */
  nearest(x: number, y: number): number {
    const [px, py] = this.poseColumns[0] ?? [];
    let best = 0;
    let least = Infinity;
    for (let k = 0; px !== undefined && py !== undefined && k < this.columns.length; k++) {
      const off = Math.hypot(this.columns.get(px, k) - x, this.columns.get(py, k) - y);
      if (off < least) [best, least] = [k, off];
    }
    return this.columns.length > 0 ? this.columns.get(0, best) : this.start;
  }

  /** Centre and axle of a wheel at t. */
  wheelPose(wheel: number, t: number): { centre: Vec3; axle: Vec3 } | null {
    const w = this.head.rover.wheels[wheel];
    const body = w ? this.bodyPose(w.body, t) : null;
    if (!w || !body) return null;
    return { centre: add(body.position, rotate(body.rotation, w.position)), axle: rotate(body.rotation, rotate(w.rotation, [0, 1, 0])) };
  }

  /** Height of the ground with its ruts at the shown time, in local coordinates. */
  height(x: number, y: number): number {
    const rut = this.ruts ? this.ruts.at(x + this.head.origin[0], y + this.head.origin[1]) : 0;
    return this.ground.height(x, y) + rut;
  }

  /** A value as text, with names for states, modes and soils. */
  valueText(column: number, t: number): string {
    const def = this.head.columns[column];
    if (!def) return "";
    return formatValue(this.head, def, this.columns.at(column, t));
  }
}

function poseTable(columns: Column[], group: string, count: number): number[][] {
  const fields = ["x", "y", "z", "qw", "qx", "qy", "qz"];
  const table: number[][] = Array.from({ length: count }, () => new Array<number>(7).fill(-1));
  columns.forEach((c, i) => {
    const k = fields.indexOf(c.field);
    if (c.group === group && k >= 0 && table[c.owner]) table[c.owner]![k] = i;
  });
  if (table.some((row) => row.includes(-1))) throw new StreamError(`columns of the ${group}s are missing`);
  return table;
}

export function formatValue(head: Head, def: Column, value: number): string {
  if (Number.isNaN(value)) return "–";
  const name = { state: head.states, mode: head.modes, soil: head.soils }[def.kind]?.[value];
  if (name !== undefined) return name;
  return formatNumber(value);
}

/** Four significant digits without exponents where people expect none. */
export function formatNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude === 0) return "0";
  if (magnitude >= 1e6 || magnitude < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

function parseDone(json: unknown): Done {
  const o = (typeof json === "object" && json !== null ? json : {}) as Record<string, unknown>;
  const number = (v: unknown) => (typeof v === "number" && Number.isFinite(v) ? v : null);
  const words = (v: unknown) => (typeof v === "string" ? v : "");
  const warnings = (Array.isArray(o.warnings) ? o.warnings : []).map((item: unknown) => {
    const w = (typeof item === "object" && item !== null ? item : {}) as Record<string, unknown>;
    return { text: words(w.text), count: number(w.count) ?? 1, time: number(w.first_s) };
  });
  const sampled = (typeof o.uncertainty === "object" && o.uncertainty !== null ? o.uncertainty : {}) as Record<string, unknown>;
  const bands = (Array.isArray(sampled.words) ? sampled.words : []).map(words);
  return { outcome: words(o.outcome), cause: words(o.cause), time: number(o.outcome_time_s) ?? number(o.time_s), distance: number(o.distance_m), warnings, bands };
}
