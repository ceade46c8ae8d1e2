// Colour scales that stay readable with colour-blindness, and the page's palette for data.

export type Rgb = [number, number, number]; // 0 … 1, sRGB

/** Sampled at equal steps from matplotlib's published scales (viridis, cividis). */
const VIRIDIS = ["440154", "482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725"];
const CIVIDIS = ["00224e", "123570", "3b496c", "575d6d", "707173", "8a8678", "a59c74", "c3b369", "e1cc55", "fee838"];
/** Okabe and Ito's eight colours without black. */
export const CATEGORIES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"];

/** Curves of wheels and other series, in the order of the reports' plots (src/draw/plot.c): readable on light and dark ground. */
export const SERIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f", "#7a4dff"];

export function hex(text: string): Rgb {
  const n = parseInt(text.replace("#", ""), 16);
  return [((n >> 16) & 255) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}

function scaleOf(stops: string[]): (t: number) => Rgb {
  const colours = stops.map(hex);
  return (t) => {
    const u = Math.min(1, Math.max(0, Number.isNaN(t) ? 0 : t)) * (colours.length - 1);
    const k = Math.min(Math.floor(u), colours.length - 2);
    const f = u - k;
    const a = colours[k]!;
    const b = colours[k + 1]!;
    return [a[0] + (b[0] - a[0]) * f, a[1] + (b[1] - a[1]) * f, a[2] + (b[2] - a[2]) * f];
  };
}

export const viridis = scaleOf(VIRIDIS);
export const cividis = scaleOf(CIVIDIS);

export function css(c: Rgb): string {
  return `rgb(${c.map((x) => Math.round(255 * x)).join(",")})`;
}

export function gradient(scale: (t: number) => Rgb): string {
  return `linear-gradient(to right, ${Array.from({ length: 10 }, (_, k) => css(scale(k / 9))).join(", ")})`;
}

export function toLinear(c: Rgb): Rgb {
  return c.map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)) as Rgb;
}

/** Contact states ("soft: slipping, braking") by what the wheel does. */
export function stateColour(name: string): string {
  if (/no contact|no collision|^$/.test(name)) return CATEGORIES[7]!;
  if (/braking/.test(name)) return CATEGORIES[3]!;
  if (/slipping|sliding/.test(name)) return CATEGORIES[5]!;
  if (/rolling/.test(name)) return CATEGORIES[2]!;
  return CATEGORIES[4]!;
}

/** Outcomes that are no failure of the rover. */
export function isGood(outcome: string): boolean {
  return outcome === "finished" || outcome === "reached_goal";
}
