// Small helpers that build the page. Text from data only ever becomes text nodes.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/** An element; attributes whose names begin with "on" are listeners, `true` gives an empty attribute. */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

const ICONS: Record<string, string> = {
  play: "M7 4.5v15l13-7.5z",
  pause: "M6 4.5h4.2v15H6zM13.8 4.5H18v15h-4.2z",
  back: "M5 5h2.6v14H5zM19 5v14L8.6 12z",
  forward: "M16.4 5H19v14h-2.6zM5 5v14l10.4-7z",
  start: "M4 5h2.4v14H4zM13 5v14L6.8 12zM20.6 5v14L14 12z",
  end: "M17.6 5H20v14h-2.4zM3.4 5v14L10 12zM10.8 5v14l6.4-7z",
  camera: "M4 7h3.5l1.6-2.2h5.8L16.5 7H20v12H4zm8 2.6a3.7 3.7 0 1 0 0 7.4 3.7 3.7 0 0 0 0-7.4z",
  theme: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z",
  help: "M11 17h2.2v2.2H11zM12 4.5a5 5 0 0 0-5 5h2.2a2.8 2.8 0 1 1 4.2 2.4c-1.4.9-2.3 1.7-2.3 3.6h2.1c0-1.1.5-1.6 1.5-2.2A5 5 0 0 0 12 4.5z",
  panel: "M4 5h16v14H4zm2 2v10h7V7z",
  close: "M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4L12 13.4 6.4 19 5 17.6 10.6 12 5 6.4z",
  add: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  open: "M4 6h6l2 2.2h8V19H4z",
};

export function icon(name: keyof typeof ICONS): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]!);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

export interface ButtonOptions {
  label: string;
  key?: string;
  icon?: keyof typeof ICONS;
  text?: string;
  className?: string;
  onClick: () => void;
}

export function button(options: ButtonOptions): HTMLButtonElement {
  const title = options.key ? `${options.label} (${options.key})` : options.label;
  const b = el("button", { type: "button", title, "aria-label": options.label, class: options.className ?? (options.icon && !options.text ? "icon" : "") });
  if (options.icon) b.append(icon(options.icon));
  if (options.text) b.append(el("span", {}, options.text));
  b.addEventListener("click", options.onClick);
  return b;
}

export function setIcon(b: HTMLButtonElement, name: keyof typeof ICONS): void {
  b.querySelector("svg")?.replaceWith(icon(name));
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export function formatTime(t: number): string {
  const s = Math.max(0, t);
  const h = Math.floor(s / 3600);
  const m = Math.floor((s % 3600) / 60);
  const rest = (s % 60).toFixed(2).padStart(5, "0");
  return h > 0 ? `${h}:${String(m).padStart(2, "0")}:${rest}` : `${m}:${rest}`;
}
