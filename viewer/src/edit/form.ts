// Every key of the file as a field, from the JSON Schema that `grouser schema` prints: a new key appears by itself. Messages of the
// check stand at their field.

import { el } from "../ui/dom.ts";
import type { Section } from "./editor.ts";
import { quote, type EditState, type Schema } from "./state.ts";

interface Field {
  path: string;
  row: HTMLElement;
  input: HTMLInputElement | HTMLSelectElement;
  note: HTMLElement;
  words: string;
}

/** The plain kinds of value among the alternatives of a schema. */
function plain(schema: Schema): { choices: string[] | null; number: boolean; text: boolean; flag: boolean } {
  const all = schema.anyOf ?? [schema];
  return {
    choices: all.find((s) => s.enum)?.enum ?? null,
    number: all.some((s) => s.type === "number" || s.type === "integer"),
    text: all.some((s) => s.type === "string"),
    flag: all.some((s) => s.type === "boolean"),
  };
}

function sections(schema: Schema): Schema | null {
  return (schema.anyOf ?? [schema]).find((s) => s.properties) ?? null;
}

export class Form implements Section {
  readonly element: HTMLElement;
  private fields: Field[] = [];
  private folds = new Map<string, HTMLDetailsElement>();
  private search = el("input", { type: "search", placeholder: "Find a key", "aria-label": "Find a key" });
  private only = el("input", { type: "checkbox" });
  private holder = el("div", { class: "keys" });
  private built = "";

  constructor(private schema: Schema, private send: (set: string[]) => void) {
    this.only.checked = true;
    this.element = el("section", {}, el("h3", {}, "All keys"), this.search, el("label", { class: "check" }, this.only, el("span", {}, "only those that the file has")), this.holder);
    this.search.addEventListener("input", () => this.filter());
    this.only.addEventListener("change", () => this.filter());
  }

  /** Builds the fields anew when lists or named sections have other items. */
  private build(edit: EditState): void {
    const shape = [...edit.values.keys()].join(" ");
    if (shape === this.built && this.fields.length > 0) return;
    this.built = shape;
    const focus = this.holder.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : null;
    const open = new Set([...this.folds].filter(([, d]) => d.open).map(([path]) => path));
    this.fields = [];
    this.folds.clear();
    this.holder.replaceChildren();
    this.addAll(this.schema, "", this.holder, edit, 0);
    for (const path of open) this.folds.get(path)?.setAttribute("open", "");
    if (focus) this.fields.find((f) => f.path === focus)?.input.focus({ preventScroll: true });
  }

  private addAll(schema: Schema, base: string, into: HTMLElement, edit: EditState, depth: number): void {
    for (const [key, inner] of Object.entries(schema.properties ?? {})) this.add(key, inner, base === "" ? key : `${base}.${key}`, into, edit, depth);
  }

  private add(key: string, schema: Schema, path: string, into: HTMLElement, edit: EditState, depth: number): void {
    const own = plain(schema);
    if (own.choices || own.number || own.text || own.flag) into.append(this.field(key, schema, path, own));
    if (depth > 4) return;
    const section = sections(schema);
    const items = (schema.anyOf ?? [schema]).map((s) => s.items).find((s) => s?.properties);
    const named = (schema.anyOf ?? [schema]).map((s) => s.additionalProperties).find((s): s is Schema => typeof s === "object" && s.properties !== undefined);
    if (section) this.addAll(section, path, this.fold(key, path, schema, into), edit, depth + 1);
    if (items) for (let k = 0; [...edit.values.keys()].some((p) => p.startsWith(`${path}[${k}]`)); k++) this.addAll(items, `${path}[${k}]`, this.fold(`${key} ${k + 1}`, `${path}[${k}]`, schema, into), edit, depth + 1);
    if (named) {
      const names = new Set([...edit.values.keys()].filter((p) => p.startsWith(`${path}.`)).map((p) => p.slice(path.length + 1).split(/[.[]/)[0]!));
      for (const name of names) this.addAll(named, `${path}.${name}`, this.fold(name, `${path}.${name}`, schema, into), edit, depth + 1);
    }
    const free = (schema.anyOf ?? [schema]).some((s) => s.type === "object" && !s.properties && typeof s.additionalProperties !== "object");
    if (free && !section && !named) {
      const names = [...edit.values.keys()].filter((p) => p.startsWith(`${path}.`) && !p.includes("["));
      const inside = names.length > 0 ? this.fold(key, path, schema, into) : null;
      for (const p of names) inside!.append(this.field(p.slice(path.length + 1), {}, p, { choices: null, number: true, text: true, flag: false }));
      return;
    }
    if (!section && !items && !named && !(own.choices || own.number || own.text || own.flag)) into.append(this.field(key, schema, path, own));
  }

  private fold(key: string, path: string, schema: Schema, into: HTMLElement): HTMLElement {
    const details = el("details", { class: "fold" }, el("summary", { title: schema.description ?? "" }, key));
    this.folds.set(path, details);
    into.append(details);
    return details;
  }

  private field(key: string, schema: Schema, path: string, own: ReturnType<typeof plain>): HTMLElement {
    const usual = schema.default ?? schema.anyOf?.find((s) => s.default !== undefined)?.default;
    const closed = own.flag ? ["true", "false"] : own.choices && !own.number && !own.text ? own.choices : null;
    const input = closed
      ? el("select", {}, el("option", { value: "" }, usual === undefined ? "–" : `(${String(usual)})`), ...closed.map((c) => el("option", { value: c }, c)))
      : el("input", { type: "text", spellcheck: "false", placeholder: usual === undefined ? "" : String(usual) });
    input.setAttribute("aria-label", path);
    const note = el("span", { class: "problem" });
    const row = el("label", { class: "field", title: schema.description ?? "" }, el("span", {}, key), input, note);
    input.addEventListener("change", () => {
      const text = input.value.trim();
      const structured = /^[[{].*[\]}]$/.test(text);
      const value = text === "" || structured || closed || (own.number && !own.text) || /^[-+.\d]/.test(text) ? text : quote(text);
      this.send([`${path}=${own.number && value === text && /[,:#{}[\]&*!|>'"%@`]/.test(text) && !structured ? JSON.stringify(text) : value}`]);
    });
    this.fields.push({ path, row, input, note, words: `${path} ${schema.description ?? ""}`.toLowerCase() });
    return row;
  }

  show(edit: EditState): void {
    this.build(edit);
    for (const f of this.fields) {
      const value = edit.values.get(f.path)?.text ?? "";
      if (f.input.value !== value && document.activeElement !== f.input) f.input.value = value;
      const message = edit.messages.find((m) => m.field === f.path || m.field.startsWith(`${f.path}[`));
      f.note.textContent = message?.text ?? "";
      f.note.className = `problem ${message?.severity === "error" ? "bad" : "warn"}`;
      f.row.dataset.set = String(edit.values.has(f.path) || message !== undefined);
    }
    this.filter();
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const f of this.fields) f.row.hidden = words.length > 0 ? !words.every((w) => f.words.includes(w)) : this.only.checked && f.row.dataset.set !== "true";
    for (const details of [...this.folds.values()].reverse()) {
      details.hidden = !details.querySelector("label.field:not([hidden])");
      if (words.length > 0 && !details.hidden) details.open = true;
    }
  }
}
