// What the server says of an edited file (chunk EDIT), and values of its text by their paths.

export interface EditMessage {
  severity: string;
  file: string; // "": the edited one
  line: number; // 0: unknown
  field: string;
  text: string;
}

export interface EditState {
  kind: "scenario" | "rover";
  file: string;
  saved: boolean;
  undo: number;
  redo: number;
  valid: boolean;
  note: string; // why the last change was refused; "": it was not
  text: string;
  values: Map<string, { text: string; line: number }>;
  messages: EditMessage[];
  drawing: string; // of a rover, as SVG
  facts: { group: string; name: string; value: string }[]; // of a rover
}

export interface Choice {
  name: string;
  title: string;
}

/** What the editor offers: about.json of the server. */
export interface About {
  rovers: Choice[];
  soils: Choice[];
  landers: Choice[];
  modes: Choice[];
  gravities: { name: string; value: number }[];
  schema: Schema;
}

/** The part of JSON Schema that `grouser schema` writes. */
export interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

export type EditCommand =
  | { op: "edit"; set: string[] }
  | { op: "lines"; first: number; last: number; text: string }
  | { op: "undo" }
  | { op: "redo" }
  | { op: "save"; force: boolean };

type Json = Record<string, unknown>;
const object = (v: unknown): Json => (typeof v === "object" && v !== null && !Array.isArray(v) ? (v as Json) : {});
const list = (v: unknown): unknown[] => (Array.isArray(v) ? v : []);
const text = (v: unknown): string => (typeof v === "string" ? v : "");
const number = (v: unknown): number => (typeof v === "number" && Number.isFinite(v) ? v : 0);

export function parseEdit(json: unknown): EditState {
  const o = object(json);
  const values = new Map<string, { text: string; line: number }>();
  for (const item of list(o.values)) {
    const v = object(item);
    values.set(text(v.path), { text: text(v.value), line: number(v.line) });
  }
  return {
    kind: o.kind === "rover" ? "rover" : "scenario", file: text(o.file), saved: o.saved === true, undo: number(o.undo), redo: number(o.redo), valid: o.valid === true,
    note: text(o.note), text: text(o.text), values, drawing: text(o.drawing),
    messages: list(o.messages).map((item) => {
      const m = object(item);
      return { severity: text(m.severity), file: text(m.file), line: number(m.line), field: text(m.field), text: text(m.text) };
    }),
    facts: list(o.facts).map((item) => {
      const f = object(item);
      return { group: text(f.group), name: text(f.name), value: text(f.value) };
    }),
  };
}

export async function loadAbout(): Promise<About> {
  const o = object(await (await fetch("/about.json")).json());
  const choices = (v: unknown): Choice[] => list(v).map((item) => ({ name: text(object(item).name), title: text(object(item).title) }));
  return {
    rovers: choices(o.rovers), soils: choices(o.soils), landers: choices(o.landers), modes: choices(o.modes),
    gravities: list(o.gravities).map((item) => ({ name: text(object(item).name), value: number(object(item).value) })),
    schema: object(o.schema) as Schema,
  };
}

/** A text as YAML on one line: plain where that is the same, otherwise in quotes. */
export function quote(value: string): string {
  const plain = /^[A-Za-z0-9_./+-][A-Za-z0-9_./+ -]*$/.test(value) && !/ $/.test(value) && !/^(true|false|null|yes|no|on|off|~)$/i.test(value) && !/^[-+.]?[0-9.]/.test(value) && !/^- /.test(value);
  return plain ? value : JSON.stringify(value);
}

/** A number as people write it: to a millimetre or millidegree. */
export function rounded(value: number, decimals = 3): string {
  const out = value.toFixed(decimals).replace(/\.?0+$/, "");
  return out === "-0" ? "0" : out;
}

/** The value of a path as a number; NaN where it is none, an expression for example. */
export function numberAt(edit: EditState, path: string): number {
  const value = edit.values.get(path)?.text.trim() ?? "";
  return value === "" ? NaN : Number(value);
}

/** "[1, 2.5]" as numbers; null where it is not a list of numbers. */
export function numbersOf(value: string): number[] | null {
  const inside = /^\[([^[\]]*)\]$/.exec(value.trim())?.[1];
  const numbers = inside?.split(",").map((s) => (s.trim() === "" ? NaN : Number(s)));
  return numbers && numbers.length > 0 && numbers.every(Number.isFinite) ? numbers : null;
}

/** The lines that differ, as the message that replaces them. */
export function changedLines(before: string, after: string): EditCommand | null {
  if (before === after) return null;
  const a = before.split("\n");
  const b = after.split("\n");
  let first = 0;
  while (first < a.length && first < b.length && a[first] === b[first]) first++;
  let tail = 0;
  while (tail < a.length - first && tail < b.length - first && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  // Lines that follow stay: the new ones end with a line break.
  const lines = b.slice(first, b.length - tail);
  return { op: "lines", first: first + 1, last: a.length - tail, text: lines.length > 0 ? lines.join("\n") + (tail > 0 ? "\n" : "") : "" };
}
