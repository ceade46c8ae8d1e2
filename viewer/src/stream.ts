// Decoder of replay streams (format 2): files `replay.bin` and WebSocket messages.
//
// Pure: no DOM and no three.js, so that it runs in Node tests. Input is untrusted. A chunk that does not
// decode throws StreamError from its decode function; readReplay() catches these, counts them and goes on,
// so that a cut or damaged file shows what is intact. Every count in the input is checked against the
// bytes that follow it before memory is taken for it.

export const MAGIC = "GRPLAY02";
const OLD_MAGIC = "GRPLAY01";
const HEADER_BYTES = 16;
const MAX_RAW = 1 << 29;            // bytes of one chunk after inflating
const MAX_INFLATE_RATIO = 1040;     // deflate cannot do better than 1032
export const MAX_SAMPLES = 1 << 20; // samples in one DATA chunk
export const TILE = 32;             // cells along a side of a rut tile

export class StreamError extends Error {}

export interface Chunk {
  type: string;
  data: Uint8Array;
}

export interface GroundBlock {
  x: number;
  y: number;
  cell: number;
  nx: number;
  ny: number;
  /** Heights relative to zReference, NaN where there is no ground; rows from south to north. */
  height: Float32Array;
  holes: boolean;
}

export interface SoilBlock {
  x: number;
  y: number;
  cell: number;
  nx: number;
  ny: number;
  soil: Uint8Array;
}

export interface RockShape {
  position: [number, number, number];
  rotation: [number, number, number, number];
  half: [number, number, number];
  vertices: Float32Array; // in the rock's frame [m]; empty: an ellipsoid
  faces: Uint16Array;
}

export interface RockBlock {
  first: number;
  rocks: RockShape[];
}

export interface SurfaceBlock {
  index: number;
  vertices: Float32Array;
  faces: Uint32Array;
}

export interface DataBlock {
  n: number;
  columns: Float64Array[];
}

/** Sequential reader with bounds checks. */
export class Reader {
  readonly view: DataView;
  at = 0;

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  private take(n: number): number {
    if (n > this.left) throw new StreamError("the chunk ends too early");
    const at = this.at;
    this.at += n;
    return at;
  }

  u8(): number {
    return this.bytes[this.take(1)]!;
  }
  u16(): number {
    return this.view.getUint16(this.take(2), true);
  }
  i16(): number {
    return this.view.getInt16(this.take(2), true);
  }
  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }
  i32(): number {
    return this.view.getInt32(this.take(4), true);
  }
  f64(): number {
    return this.view.getFloat64(this.take(8), true);
  }
  finite(what: string): number {
    const v = this.f64();
    if (!Number.isFinite(v)) throw new StreamError(`${what} is not a finite number`);
    return v;
  }
  slice(n: number): Uint8Array {
    const at = this.take(n);
    return this.bytes.subarray(at, at + n);
  }

  /** Unsigned varint. Exact up to 2^53; larger ones are rounded, as any double is. */
  varint(): number {
    const bytes = this.bytes;
    let at = this.at;
    let value = 0;
    let scale = 1;
    for (let group = 0; group < 10; group++) {
      if (at >= bytes.length) throw new StreamError("the chunk ends in a number");
      const b = bytes[at++]!;
      value += (b & 0x7f) * scale;
      if (b < 0x80) {
        this.at = at;
        return value;
      }
      scale *= 128;
    }
    throw new StreamError("a number is longer than 64 bits");
  }

  zigzag(): number {
    const n = this.varint();
    return n % 2 === 0 ? n / 2 : -(n + 1) / 2;
  }
}

/** Inflates a zlib stream that must give exactly `raw` bytes. */
async function inflate(stored: Uint8Array, raw: number): Promise<Uint8Array> {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  // Rejections of the writer appear at the reader as well; unhandled here they would end Node.
  writer.write(stored as BufferSource).catch(() => {});
  writer.close().catch(() => {});
  const out = new Uint8Array(raw);
  const reader = stream.readable.getReader();
  let n = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (n + value.length > raw) {
        reader.cancel().catch(() => {});
        throw new StreamError("a chunk is larger than it says");
      }
      out.set(value, n);
      n += value.length;
    }
  } catch (error) {
    throw error instanceof StreamError ? error : new StreamError("a compressed chunk is damaged");
  }
  if (n !== raw) throw new StreamError("a compressed chunk is cut off");
  return out;
}

interface Header {
  type: string;
  stored: number;
  raw: number;
  crc: number; // of the twelve bytes before it and the payload as stored
}

const CRC_AT = 12;
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** CRC-32 as in zlib; continues from `crc`, 0 at the start. */
function crc32(crc: number, bytes: Uint8Array): number {
  let c = ~crc;
  for (let i = 0; i < bytes.length; i++) c = CRC_TABLE[(c ^ bytes[i]!) & 0xff]! ^ (c >>> 8);
  return ~c >>> 0;
}

function readHeader(bytes: Uint8Array, at: number): Header {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, HEADER_BYTES);
  const type = String.fromCharCode(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!);
  return { type, stored: view.getUint32(4, true), raw: view.getUint32(8, true), crc: view.getUint32(CRC_AT, true) };
}

async function payload(header: Header, stored: Uint8Array): Promise<Uint8Array> {
  if (header.stored === header.raw) return stored;
  if (header.stored > header.raw) throw new StreamError("a chunk is stored larger than it is");
  if (header.raw > MAX_RAW || header.raw > MAX_INFLATE_RATIO * header.stored + 64)
    throw new StreamError("a chunk claims an impossible size");
  return inflate(stored, header.raw);
}

/** One WebSocket message: exactly one chunk. */
export async function readMessage(bytes: Uint8Array): Promise<Chunk> {
  if (bytes.length < HEADER_BYTES) throw new StreamError("a message is shorter than a chunk's header");
  const header = readHeader(bytes, 0);
  if (bytes.length - HEADER_BYTES !== header.stored) throw new StreamError("a message has the wrong length");
  return { type: header.type, data: await payload(header, bytes.subarray(HEADER_BYTES)) };
}

export interface ReadReport {
  chunks: number;
  truncated: boolean;
  errors: string[]; // at most MAX_ERRORS texts
}
const MAX_ERRORS = 20;

/**
 * Reads a file chunk by chunk into `sink`. Never rejects: what goes wrong is in the report. Gives the
 * browser a turn (`pause`) now and then, so that a large file does not freeze the page.
 */
export async function readReplay(bytes: Uint8Array, sink: (chunk: Chunk) => void, pause?: () => Promise<void>): Promise<ReadReport> {
  const report: ReadReport = { chunks: 0, truncated: false, errors: [] };
  const magic = String.fromCharCode(...bytes.subarray(0, MAGIC.length));
  if (magic !== MAGIC) {
    report.errors.push(magic === OLD_MAGIC ? "This replay is of version 0.2 or before: record the run again, or open it with that version." : "This is not a Grouser replay (replay.bin, format 2).");
    return report;
  }
  let at = MAGIC.length;
  let turn = now();
  while (at < bytes.length) {
    if (bytes.length - at < HEADER_BYTES) {
      report.truncated = true;
      break;
    }
    const header = readHeader(bytes, at);
    const covered = bytes.subarray(at, at + CRC_AT);
    at += HEADER_BYTES;
    if (header.stored > bytes.length - at) {
      report.truncated = true;
      break;
    }
    const stored = bytes.subarray(at, at + header.stored);
    at += header.stored;
    try {
      if (header.crc !== crc32(crc32(0, covered), stored)) throw new StreamError("the checksum is wrong");
      sink({ type: header.type, data: await payload(header, stored) });
      report.chunks++;
    } catch (error) {
      if (report.errors.length < MAX_ERRORS) report.errors.push(`${printable(header.type)}: ${error instanceof Error ? error.message : error}`);
    }
    if (pause && now() - turn > 30) {
      await pause();
      turn = now();
    }
  }
  return report;
}

function now(): number {
  return performance.now();
}

function printable(type: string): string {
  return type.replace(/[^\x20-\x7e]/g, "?");
}

export function decodeJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8").decode(data));
  } catch {
    throw new StreamError("the text is not JSON");
  }
}

function readFrame(r: Reader): { x: number; y: number; cell: number } {
  const x = r.finite("x");
  const y = r.finite("y");
  const cell = r.finite("cell");
  if (!(cell > 0)) throw new StreamError("the cell size is not positive");
  return { x, y, cell };
}

function readGridSize(r: Reader): { nx: number; ny: number } {
  const nx = r.u32();
  const ny = r.u32();
  // Every node takes at least a byte, so the payload bounds the grid.
  if (nx < 1 || ny < 1 || nx * ny > r.left) throw new StreamError(`a grid of ${nx} x ${ny} nodes does not fit its chunk`);
  return { nx, ny };
}

/** GRND. Heights are relative to zReference, so that float32 keeps them to a fraction of a millimetre. */
export function decodeGround(data: Uint8Array, zReference: number): GroundBlock {
  const r = new Reader(data);
  const frame = readFrame(r);
  const z0 = r.finite("z0") - zReference;
  const quantum = r.finite("quantum");
  const { nx, ny } = readGridSize(r);
  const height = new Float32Array(nx * ny);
  let below = new Float64Array(nx);
  let row = new Float64Array(nx);
  let holes = false;
  for (let j = 0; j < ny; j++) {
    let left = 0;
    let belowLeft = 0;
    for (let i = 0; i < nx; i++) {
      const q = r.zigzag() + left + below[i]! - belowLeft;
      row[i] = q;
      left = q;
      belowLeft = below[i]!;
      if (q === 0) {
        holes = true;
        height[j * nx + i] = NaN;
      } else height[j * nx + i] = z0 + quantum * (q - 1);
    }
    [below, row] = [row, below];
  }
  return { ...frame, nx, ny, height, holes };
}

export function decodeSoil(data: Uint8Array): SoilBlock {
  const r = new Reader(data);
  const frame = readFrame(r);
  const { nx, ny } = readGridSize(r);
  return { ...frame, nx, ny, soil: r.slice(nx * ny) };
}

export function decodeRocks(data: Uint8Array): RockBlock {
  const r = new Reader(data);
  const first = r.u32();
  const count = r.u32();
  const bytesPerRock = 84;
  if (count * bytesPerRock > r.left) throw new StreamError(`${count} rocks do not fit their chunk`);
  const rocks: RockShape[] = [];
  for (let k = 0; k < count; k++) {
    const position: [number, number, number] = [r.finite("x"), r.finite("y"), r.finite("z")];
    const rotation: [number, number, number, number] = [r.finite("qw"), r.finite("qx"), r.finite("qy"), r.finite("qz")];
    const half: [number, number, number] = [r.finite("half"), r.finite("half"), r.finite("half")];
    const nv = r.u16();
    const nf = r.u16();
    if (6 * (nv + nf) > r.left) throw new StreamError("a rock does not fit its chunk");
    const vertices = new Float32Array(3 * nv);
    for (let v = 0; v < 3 * nv; v++) vertices[v] = (r.i16() / 32767) * half[v % 3]!;
    const faces = new Uint16Array(3 * nf);
    for (let f = 0; f < 3 * nf; f++) {
      const index = r.u16();
      if (index >= nv) throw new StreamError("a face of a rock names a vertex that does not exist");
      faces[f] = index;
    }
    rocks.push({ position, rotation, half, vertices, faces });
  }
  return { first, rocks };
}

/** MESH: the triangles of a mesh of the rover. */
export function decodeSurface(data: Uint8Array): SurfaceBlock {
  const r = new Reader(data);
  const index = r.u32();
  const nv = r.u32();
  const nf = r.u32();
  if (48 + 6 * nv + 3 * nf > r.left) throw new StreamError(`${nv} vertices and ${nf} triangles do not fit their chunk`);
  const lower = [r.finite("lower"), r.finite("lower"), r.finite("lower")];
  const size = [r.finite("size"), r.finite("size"), r.finite("size")];
  const vertices = new Float32Array(3 * nv);
  for (let v = 0; v < 3 * nv; v++) vertices[v] = lower[v % 3]! + (r.u16() / 65535) * size[v % 3]!;
  const faces = new Uint32Array(3 * nf);
  let corner = 0;
  for (let f = 0; f < 3 * nf; f++) {
    corner += r.zigzag();
    if (!(corner >= 0 && corner < nv)) throw new StreamError("a triangle of a mesh names a vertex that does not exist");
    faces[f] = corner;
  }
  return { index, vertices, faces };
}

/** DATA and LIVE: `columns` is the number of columns in HEAD. */
export function decodeData(data: Uint8Array, columns: number): DataBlock {
  const r = new Reader(data);
  const n = r.u32();
  if (n > MAX_SAMPLES) throw new StreamError(`${n} samples in one chunk are too many`);
  const minimum = columns * 11; // quantum, order, missing and one number
  if (n > 0 && minimum > r.left) throw new StreamError("the chunk has fewer columns than the head");
  const out: Float64Array[] = [];
  for (let c = 0; c < columns; c++) out.push(decodeColumn(r, n));
  return { n, columns: out };
}

function decodeColumn(r: Reader, n: number): Float64Array {
  const values = new Float64Array(n);
  const quantum = r.f64();
  const order = r.u8();
  if (order > 2) throw new StreamError(`a column has the unknown order ${order}`);
  const missing = r.u8();
  const mask = missing === 1 ? r.slice(Math.ceil(n / 8)) : null;
  let q = 0;
  let rate = 0;
  for (let k = 0; k < n; k++) {
    const step = r.zigzag();
    rate = order === 2 ? rate + step : step;
    q = order === 0 ? step : q + rate;
    values[k] = quantum * q;
  }
  if (mask) for (let k = 0; k < n; k++) if (mask[k >> 3]! & (1 << (k & 7))) values[k] = NaN;
  return values;
}

/**
 * RUTS: calls `tile` for each tile with its 1024 changes. The array is reused from call to call: a chunk is
 * decoded whenever it is added or subtracted, and only its bytes are kept.
 */
export function decodeRuts(data: Uint8Array, tile: (ti: number, tj: number, change: Int32Array) => void): void {
  const r = new Reader(data);
  r.f64();
  const tiles = r.u32();
  if (tiles * 10 > r.left) throw new StreamError(`${tiles} tiles of ruts do not fit their chunk`);
  const change = new Int32Array(TILE * TILE);
  for (let k = 0; k < tiles; k++) {
    const ti = r.i32();
    const tj = r.i32();
    let i = 0;
    while (i < change.length) {
      const v = r.zigzag();
      if (v !== 0) change[i++] = v;
      else {
        const run = r.varint() + 1;
        if (run > change.length - i) throw new StreamError("a run of zeros in ruts is too long");
        change.fill(0, i, i + run);
        i += run;
      }
    }
    tile(ti, tj, change);
  }
}

export function rutTime(data: Uint8Array): number {
  return new Reader(data).finite("time of ruts");
}
