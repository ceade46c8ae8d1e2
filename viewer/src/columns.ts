// Growable columns of samples, sorted by time, with look-up by bisection.
//
// Time and positions are kept in double precision, everything else in single. One slot beyond the history can
// hold the newest sample of a live run (the tail) until the block that contains it arrives.

import type { Column } from "./head.ts";
import type { DataBlock } from "./stream.ts";

type Values = Float32Array | Float64Array;

function wide(column: Column): boolean {
  return column.group === "time" || /^(x|y|z|x_m|y_m|z_m)$/.test(column.field);
}

export class Columns {
  private values: Values[];
  private capacity = 1024;
  private history = 0;
  private tail = false;

  constructor(readonly defs: Column[]) {
    this.values = defs.map((c) => (wide(c) ? new Float64Array(this.capacity) : new Float32Array(this.capacity)));
  }

  /** Samples that can be looked at, the tail included. */
  get length(): number {
    return this.history + (this.tail ? 1 : 0);
  }

  get start(): number {
    return this.length > 0 ? this.values[0]![0]! : 0;
  }

  get end(): number {
    return this.length > 0 ? this.values[0]![this.length - 1]! : 0;
  }

  column(index: number): Values {
    return this.values[index]!.subarray(0, this.length);
  }

  get(column: number, index: number): number {
    return this.values[column]![index]!;
  }

  append(block: DataBlock): void {
    if (block.columns.length !== this.defs.length) return;
    const newest = this.tail ? this.end : -Infinity;
    // A resumed stream may repeat samples; times must grow for bisection.
    const last = this.history > 0 ? this.values[0]![this.history - 1]! : -Infinity;
    let first = 0;
    while (first < block.n && !(block.columns[0]![first]! > last)) first++;
    const n = block.n - first;
    if (n === 0) return;
    const kept = this.tail && newest > block.columns[0]![block.n - 1]! ? this.values.map((v) => v[this.history]!) : null;
    this.reserve(this.history + n + 1);
    for (let c = 0; c < this.values.length; c++) this.values[c]!.set(block.columns[c]!.subarray(first), this.history);
    this.history += n;
    this.tail = kept !== null;
    if (kept) kept.forEach((v, c) => (this.values[c]![this.history] = v));
  }

  /** The newest sample of a live run; one that is older than the history is ignored. */
  setTail(block: DataBlock): void {
    if (block.n < 1 || block.columns.length !== this.defs.length) return;
    const time = block.columns[0]![0]!;
    if (this.history > 0 && time <= this.values[0]![this.history - 1]!) return;
    this.reserve(this.history + 1);
    block.columns.forEach((v, c) => (this.values[c]![this.history] = v[0]!));
    this.tail = true;
  }

  private reserve(n: number): void {
    if (n <= this.capacity) return;
    while (this.capacity < n) this.capacity *= 2;
    this.values = this.values.map((old) => {
      const grown = old instanceof Float64Array ? new Float64Array(this.capacity) : new Float32Array(this.capacity);
      grown.set(old);
      return grown;
    });
  }

  /** Index of the last sample at or before t; 0 before the first one; -1 without samples. */
  indexAt(t: number): number {
    const time = this.values[0]!;
    let lower = 0;
    let upper = this.length - 1;
    if (upper < 0) return -1;
    while (lower < upper) {
      const middle = (lower + upper + 1) >> 1;
      if (time[middle]! <= t) lower = middle;
      else upper = middle - 1;
    }
    return lower;
  }

  /** Position of t between samples: index and fraction to the next one. */
  locate(t: number): { index: number; fraction: number } {
    const index = this.indexAt(t);
    if (index < 0 || index + 1 >= this.length) return { index, fraction: 0 };
    const time = this.values[0]!;
    const from = time[index]!;
    const step = time[index + 1]! - from;
    return { index, fraction: step > 0 ? Math.min(1, Math.max(0, (t - from) / step)) : 0 };
  }

  /** Value of a column at t: interpolated for numbers, the last one for anything else. */
  at(column: number, t: number): number {
    if (column < 0) return NaN;
    const { index, fraction } = this.locate(t);
    if (index < 0) return NaN;
    const v = this.values[column]!;
    const a = v[index]!;
    if (fraction === 0 || this.defs[column]!.kind !== "number") return a;
    const b = v[index + 1]!;
    return Number.isNaN(b) ? a : a + (b - a) * fraction;
  }
}
