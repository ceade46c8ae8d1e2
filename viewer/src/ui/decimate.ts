// Curves with far more samples than pixels: least and largest value of each bucket, in the order in which they occur.

type Values = ArrayLike<number>;

export interface Decimated {
  x: number[];
  y: (number | null)[][];
}

export function decimate(x: Values, series: Values[], first: number, last: number, buckets: number): Decimated {
  const n = last - first + 1;
  const value = (v: number) => (Number.isFinite(v) ? v : null);
  if (n <= 2 * buckets) {
    const at = Array.from({ length: Math.max(0, n) }, (_, k) => first + k);
    return { x: at.map((k) => x[k]!), y: series.map((s) => at.map((k) => value(s[k]!))) };
  }
  const out: Decimated = { x: [], y: series.map(() => []) };
  for (let b = 0; b < buckets; b++) {
    const from = first + Math.floor((b * n) / buckets);
    const to = first + Math.floor(((b + 1) * n) / buckets);
    out.x.push(x[from]!, x[(from + to) >> 1]!);
    series.forEach((s, k) => {
      let low = -1;
      let high = -1;
      for (let i = from; i < to; i++) {
        const v = s[i]!;
        if (!Number.isFinite(v)) continue;
        if (low < 0 || v < s[low]!) low = i;
        if (high < 0 || v > s[high]!) high = i;
      }
      const [a, c] = low <= high ? [low, high] : [high, low];
      out.y[k]!.push(a < 0 ? null : s[a]!, c < 0 ? null : s[c]!);
    });
  }
  return out;
}
