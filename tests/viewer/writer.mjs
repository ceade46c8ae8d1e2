// An encoder of replay streams (docs/replay.md), written from the description of the format and not from the C code, so that
// it can referee the page's decoder and the C writer alike.

import { deflateSync } from "node:zlib";

export class Bytes {
  constructor() {
    this.parts = [];
  }
  raw(buffer) {
    this.parts.push(Buffer.from(buffer));
    return this;
  }
  #number(size, write) {
    const b = Buffer.alloc(size);
    write(b);
    this.parts.push(b);
    return this;
  }
  u8(v) {
    return this.#number(1, (b) => b.writeUInt8(v));
  }
  u16(v) {
    return this.#number(2, (b) => b.writeUInt16LE(v));
  }
  i16(v) {
    return this.#number(2, (b) => b.writeInt16LE(v));
  }
  u32(v) {
    return this.#number(4, (b) => b.writeUInt32LE(v >>> 0));
  }
  i32(v) {
    return this.#number(4, (b) => b.writeInt32LE(v));
  }
  f64(...values) {
    for (const v of values) this.#number(8, (b) => b.writeDoubleLE(v));
    return this;
  }
  /** Many varints at once; `values` is a list or a function of the index with a count. */
  varints(values, count = values.length) {
    const at = typeof values === "function" ? values : (k) => values[k];
    let out = Buffer.alloc(2 * count + 16);
    let n = 0;
    for (let k = 0; k < count; k++) {
      if (n + 10 > out.length) out = Buffer.concat([out, Buffer.alloc(out.length)]);
      let v = at(k);
      while (v >= 128) {
        out[n++] = (v % 128) + 128;
        v = Math.floor(v / 128);
      }
      out[n++] = v;
    }
    this.parts.push(out.subarray(0, n));
    return this;
  }
  done() {
    return Buffer.concat(this.parts);
  }
}

export const zigzag = (n) => (n >= 0 ? 2 * n : -2 * n - 1);

export function chunk(type, payload, compress = true) {
  const packed = compress ? deflateSync(payload, { level: payload.length > 1e6 ? 1 : 6 }) : payload;
  const stored = packed.length < payload.length ? packed : payload;
  return sealed(new Bytes().raw(Buffer.from(type, "latin1")).u32(stored.length).u32(payload.length).u32(0).raw(stored).done());
}

/** The chunk with its checksum, bit by bit as in ISO 3309. */
export function sealed(chunk) {
  const covered = Buffer.concat([chunk.subarray(0, 12), chunk.subarray(16)]);
  let crc = 0xffffffff;
  for (const byte of covered) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  const out = Buffer.from(chunk);
  out.writeUInt32LE(~crc >>> 0, 12);
  return out;
}

export function file(chunks) {
  return Buffer.concat([Buffer.from("GRPLAY02", "latin1"), ...chunks]);
}

export const json = (type, object) => chunk(type, Buffer.from(JSON.stringify(object), "utf8"));

/** height(i, j) in metres, or null where there is no ground. */
export function ground({ x, y, cell, nx, ny, z0, quantum, height }) {
  let below = new Float64Array(nx);
  let row = new Float64Array(nx);
  const next = (k) => {
    const i = k % nx;
    if (i === 0 && k > 0) [below, row] = [row, below];
    const h = height(i, (k - i) / nx);
    row[i] = h === null ? 0 : Math.round((h - z0) / quantum) + 1;
    return zigzag(row[i] - ((i > 0 ? row[i - 1] : 0) + below[i] - (i > 0 ? below[i - 1] : 0)));
  };
  return chunk("GRND", new Bytes().f64(x, y, cell, z0, quantum).u32(nx).u32(ny).varints(next, nx * ny).done());
}

export function soil({ x, y, cell, nx, ny, index }) {
  const b = new Bytes().f64(x, y, cell).u32(nx).u32(ny);
  const data = Buffer.alloc(nx * ny);
  for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) data[j * nx + i] = index(i, j);
  return chunk("SOIL", b.raw(data).done());
}

export function rocks(first, list) {
  const b = new Bytes().u32(first).u32(list.length);
  for (const r of list) {
    b.f64(...r.position, ...r.rotation, ...r.half).u16(r.vertices ? r.vertices.length / 3 : 0).u16(r.faces ? r.faces.length / 3 : 0);
    for (let k = 0; k < (r.vertices?.length ?? 0); k++) b.i16(Math.round((r.vertices[k] / r.half[k % 3]) * 32767));
    for (const f of r.faces ?? []) b.u16(f);
  }
  return chunk("ROCK", b.done());
}

export function mesh(index, { vertices, faces }) {
  const axis = (k) => vertices.filter((_, n) => n % 3 === k);
  const lower = [0, 1, 2].map((k) => Math.min(...axis(k)));
  const size = [0, 1, 2].map((k) => Math.max(...axis(k)) - lower[k]);
  const b = new Bytes().u32(index).u32(vertices.length / 3).u32(faces.length / 3).f64(...lower, ...size);
  vertices.forEach((v, n) => b.u16(size[n % 3] > 0 ? Math.round(((v - lower[n % 3]) / size[n % 3]) * 65535) : 0));
  b.varints(faces.map((f, k) => zigzag(f - (k > 0 ? faces[k - 1] : 0))));
  return chunk("MESH", b.done());
}

/** tiles: [{ti, tj, change: 1024 integers}] */
export function ruts(time, tiles) {
  const b = new Bytes().f64(time).u32(tiles.length);
  for (const t of tiles) {
    const values = [];
    for (let k = 0; k < 1024; ) {
      if (t.change[k] !== 0) values.push(zigzag(t.change[k++]));
      else {
        let run = 1;
        while (k + run < 1024 && t.change[k + run] === 0) run++;
        values.push(0, run - 1);
        k += run;
      }
    }
    b.i32(t.ti).i32(t.tj).varints(values);
  }
  return chunk("RUTS", b.done());
}

/** columns: [{quantum, order, values}], NaN for missing. */
export function data(columns, type = "DATA") {
  const n = columns[0].values.length;
  const b = new Bytes().u32(n);
  for (const c of columns) {
    const missing = c.values.some(Number.isNaN);
    let last = 0;
    const q = c.values.map((v) => (last = Number.isNaN(v) ? last : Math.round(v / c.quantum)));
    b.f64(c.quantum).u8(c.order).u8(missing ? 1 : 0);
    if (missing) {
      const mask = Buffer.alloc(Math.ceil(n / 8));
      c.values.forEach((v, k) => { if (Number.isNaN(v)) mask[k >> 3] |= 1 << (k & 7); });
      b.raw(mask);
    }
    const at = (k) => (k < 0 ? 0 : q[k]);
    b.varints(q.map((v, k) => zigzag(c.order === 0 ? v : c.order === 1 ? v - at(k - 1) : v - 2 * at(k - 1) + at(k - 2))));
  }
  return chunk(type, b.done());
}

export function embed(page, replays) {
  const blocks = replays.map(({ name, bytes }) => `<script type="application/octet-stream" data-replay data-name="${name.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;")}">${bytes.toString("base64")}</script>`);
  const marker = "<!--GROUSER-REPLAYS-->";
  if (page.split(marker).length !== 2) throw new Error("the page must have exactly one marker for replays");
  return page.split(marker).join(blocks.join("\n"));
}
