// <![CDATA[
// Cursors, zoom and switches for the plots of a page (plot.h describes the attributes that it reads).
//
// Hover, touch or arrow keys move a cursor, and the values of all visible series at it are shown. A click pins it. A drag
// across a plot zooms into that part of the x axis, in all plots of the same axis. Entries of legends become buttons that
// hide their series. Where the page has a replay, every plot against time or distance links to it at the cursor.
// Values are read back from the drawn points. Texts are only ever set as text, never as markup.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const DRAG_PX = 5; // shorter drags are clicks
  const POINT_PX = 9; // a marker further from the cursor is not shown
  const ZOOM_LEAST = 1e-4; // of the whole axis
  let panelCount = 0;
  const axes = new Map(); // panels of the same x axis share cursor and zoom
  const replay = JSON.parse(document.getElementById("replay")?.textContent ?? "null");

  const element = (tag, properties, ...children) => {
    const e = Object.assign(document.createElement(tag), properties);
    e.append(...children);
    return e;
  };
  const shape = (tag, attributes, parent) => {
    const e = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    parent.append(e);
    return e;
  };
  const numbers = (text) => (text.match(/-?[\d.]+(?:e[-+]?\d+)?/gi) ?? []).map(Number);
  const clamp = (v, low, high) => Math.max(low, Math.min(high, v));
  const isShown = (e) => e.getClientRects().length > 0;
  const minus = (text) => text.replace("-", "\u2212");

  // Rounded so that one unit of the last digit is a small part of the range.
  const format = (value, range) => {
    if (!(range > 0)) return String(value);
    const decimals = Math.ceil(-Math.log10(range / 2000));
    if (decimals > 8 || Math.abs(value) >= 1e7) return minus(value.toPrecision(5));
    const text = value.toFixed(Math.max(0, decimals));
    return minus(Number(text) === 0 ? text.replace("-", "") : text);
  };

  // "slip [-]" -> ["slip", ""], "time [s]" -> ["time", "s"]
  const split = (label) => {
    const [, name, unit] = /^(.*?)\s*(?:\[(.*)\])?$/.exec(label);
    return [name, unit === undefined || unit === "-" ? "" : unit];
  };
  const withUnit = (text, unit) => (unit ? `${text}\u00a0${unit}` : text);

  // Round ticks 1, 2, 5 x 10^n, as chart.c makes them.
  const ticksOf = (low, high, wanted) => {
    const raw = (high - low) / wanted;
    const power = 10 ** Math.floor(Math.log10(raw));
    const m = raw / power;
    const step = power * (m <= 1.000001 ? 1 : m <= 2.000001 ? 2 : m <= 5.000001 ? 5 : 10);
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const out = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step && out.length < 50; i++) {
      const v = i * step;
      out.push([v, minus(decimals > 8 || Math.abs(v) >= 1e9 ? Number(v.toPrecision(8)).toExponential() : v.toFixed(decimals))]);
    }
    return out;
  };

  // ------------------------------------------------------------------------------------------------ series

  // A series: its groups in the drawing and, once needed, its points in page units.
  class Series {
    constructor(name, color) {
      Object.assign(this, { name, color, groups: [], hidden: false, data: null });
    }

    read() {
      const d = { lines: [], points: [], bands: [], blocks: [] };
      for (const group of this.groups)
        for (const e of group.children) {
          if (e.tagName === "rect") d.blocks.push({ x: Number(e.getAttribute("x")), width: Number(e.getAttribute("width")), fill: e.getAttribute("fill") });
          else if (e.tagName === "circle") d.points.push([Number(e.getAttribute("cx")), Number(e.getAttribute("cy"))]);
          else if (e.tagName === "polyline" || e.tagName === "polygon") {
            const all = numbers(e.getAttribute("points"));
            const pairs = Array.from({ length: all.length / 2 }, (_, i) => [all[2 * i], all[2 * i + 1]]);
            if (e.tagName === "polyline") d.lines.push(pairs);
            else if (!e.getAttribute("stroke")) for (let i = 0; i < pairs.length / 2; i++) d.bands.push([pairs[i][0], pairs[pairs.length - 1 - i][1], pairs[i][1]]);
            else d.points.push(middle(pairs));
          }
        }
      this.data = d;
      return d;
    }

    // Value at a place: {y, low, high}, {block}, or null. Banded lines give the nearest interval, others are interpolated.
    at(px) {
      const d = this.data ?? this.read();
      if (d.blocks.length) {
        const block = d.blocks.find((b) => px >= b.x && px <= b.x + b.width);
        return block ? { block: block.fill } : null;
      }
      if (d.bands.length) {
        const near = nearest(d.lines.flat(), px);
        const band = nearest(d.bands, px);
        return near && band && { x: near[0], y: near[1], low: band[1], high: band[2] };
      }
      for (const line of d.lines)
        for (let i = 1; i < line.length; i++) {
          const [a, b] = [line[i - 1], line[i]];
          if ((a[0] - px) * (b[0] - px) <= 0 && a[0] !== b[0]) return { x: px, y: a[1] + ((b[1] - a[1]) * (px - a[0])) / (b[0] - a[0]) };
        }
      const point = nearest(d.points, px);
      return point && Math.abs(point[0] - px) < POINT_PX ? { x: point[0], y: point[1] } : null;
    }

    // Places where the cursor stops.
    stops() {
      const d = this.data ?? this.read();
      return d.blocks.length ? d.blocks.map((b) => b.x) : [...d.lines.flat(), ...d.points].map((p) => p[0]);
    }

    show(on) {
      this.hidden = !on;
      for (const g of this.groups) g.style.display = on ? "" : "none";
    }
  }

  const middle = (pairs) => [0, 1].map((k) => (Math.min(...pairs.map((p) => p[k])) + Math.max(...pairs.map((p) => p[k]))) / 2);
  const nearest = (list, px) => {
    let best = null;
    for (const p of list) if (!best || Math.abs(p[0] - px) < Math.abs(best[0] - px)) best = p;
    return best;
  };

  // ------------------------------------------------------------------------------------------------ panels

  class Panel {
    constructor(group) {
      this.group = group;
      this.svg = group.ownerSVGElement;
      this.figure = group.closest("figure") ?? this.svg.parentElement;
      [this.left, this.top, this.width, this.height, this.x0, this.x1, this.y0, this.y1] = numbers(group.dataset.plot);
      this.xLabel = group.dataset.x ?? "";
      this.yLabel = group.dataset.y ?? "";
      this.series = [];
      for (const g of group.querySelectorAll("[data-series]")) {
        const { series: name, color } = g.dataset;
        let series = this.series.find((s) => s.name === name && s.color === color && (name || s.groups[0].parentNode !== g.parentNode));
        if (!series) this.series.push((series = new Series(name, color)));
        series.groups.push(g);
      }
      const key = [this.xLabel, this.x0, this.x1].join("|");
      if (!axes.has(key)) axes.set(key, { panels: [], zoom: null, cursor: null, pinned: false });
      this.axis = axes.get(key);
      this.axis.panels.push(this);
      this.ticks = group.querySelector("[data-ticks]");
      this.ownTicks = [...this.ticks.children];
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", `Plot ${group.dataset.title ?? this.yLabel} against ${this.xLabel}: arrow keys move the cursor, plus and minus zoom, Enter pins, Escape leaves`);
      // Equal clips of a page share their id. A browser does not clip by one that the switch has hidden, so each panel
      // gets its own.
      const clip = group.querySelector("clipPath");
      if (clip) {
        clip.id = `clip-panel-${panelCount++}`;
        clip.nextElementSibling.setAttribute("clip-path", `url(#${clip.id})`);
      }
      shape("rect", { class: "focus", x: this.left, y: this.top, width: this.width, height: this.height }, group);
      this.cursor = shape("line", { class: "cursor", y1: this.top, y2: this.top + this.height, visibility: "hidden" }, group);
      this.selection = shape("rect", { class: "selection", y: this.top, height: this.height, visibility: "hidden" }, group);
    }

    get range() { return this.axis.zoom ?? [this.x0, this.x1]; }
    valueOf(px) { const [a, b] = this.range; return a + ((b - a) * (px - this.left)) / this.width; }
    placeOf(x) { const [a, b] = this.range; return this.left + (this.width * (x - a)) / (b - a); }
    drawnPlaceOf(x) { return this.left + (this.width * (x - this.x0)) / (this.x1 - this.x0); } // without zoom
    drawnValueOf(px) { return this.x0 + ((this.x1 - this.x0) * (px - this.left)) / this.width; }
    heightOf(py) { return this.y1 - ((this.y1 - this.y0) * (py - this.top)) / this.height; }
    holds(p) { return p.x >= this.left - 4 && p.x <= this.left + this.width + 4 && p.y >= this.top - 4 && p.y <= this.top + this.height + 4; }
    visible() { return this.series.filter((s) => !s.hidden); }

    // All x at which a visible series with most points has one, in order.
    stops() {
      let best = [];
      for (const s of this.visible()) {
        const stops = s.stops();
        if (stops.length > best.length) best = stops;
      }
      return [...new Set(best)].sort((a, b) => a - b).map((px) => this.drawnValueOf(px));
    }

    // The nearest stop within the range; plots of few points keep a free cursor.
    snap(x) {
      const [a, b] = this.range;
      const stops = this.stops();
      if (stops.length < 2) return x;
      const best = nearest(stops.map((v) => [v]), x)[0];
      const gap = (this.width * Math.abs(best - x)) / (b - a);
      return gap < POINT_PX && best >= a && best <= b ? best : x;
    }

    drawZoom() {
      const [a, b] = this.range;
      const zoomed = this.axis.zoom !== null;
      const k = (this.x1 - this.x0) / (b - a);
      const e = this.left - k * this.drawnPlaceOf(a);
      const scale = this.svg.getScreenCTM()?.a ?? 1;
      for (const s of this.series)
        for (const g of s.groups) {
          if (g.parentNode === this.group) this.moveMarkers(g, k, e);
          else if (zoomed) g.setAttribute("transform", `matrix(${k} 0 0 1 ${e} 0)`);
          else g.removeAttribute("transform");
          for (const line of g.querySelectorAll("polyline")) { // lines keep their width
            line.style.vectorEffect = zoomed ? "non-scaling-stroke" : "";
            line.style.strokeWidth = zoomed ? `${Number(line.getAttribute("stroke-width") ?? 1) * scale}px` : "";
          }
        }
      this.drawTicks(a, b, zoomed);
      this.figure.classList.toggle("zoomed", zoomed);
    }

    // Markers keep their shape.
    moveMarkers(group, k, e) {
      for (const m of group.children) {
        const x = m.tagName === "circle" ? Number(m.getAttribute("cx")) : middle(numbers(m.getAttribute("points")).reduce((all, v, i) => (i % 2 ? all[all.length - 1].push(v) : all.push([v]), all), []))[0];
        const to = k * x + e;
        m.setAttribute("transform", `translate(${to - x} 0)`);
        m.style.display = to > this.left - 1 && to < this.left + this.width + 1 ? "" : "none";
      }
    }

    drawTicks(a, b, zoomed) {
      if (!zoomed) {
        this.ticks.replaceChildren(...this.ownTicks);
        return;
      }
      const texts = this.ownTicks.filter((e) => e.tagName === "text");
      const lines = this.ownTicks.filter((e) => e.tagName === "line").slice(0, this.ownTicks.length / Math.max(1, texts.length) - 1);
      const made = [];
      for (const [value, label] of ticksOf(a, b, clamp(Math.floor(this.width / 65), 2, 12))) {
        const x = this.placeOf(value);
        for (const line of lines) {
          const copy = line.cloneNode();
          copy.setAttribute("x1", x);
          copy.setAttribute("x2", x);
          made.push(copy);
        }
        const text = texts[0].cloneNode();
        text.setAttribute("x", x);
        text.textContent = label;
        made.push(text);
      }
      this.ticks.replaceChildren(...made);
    }

    drawCursor() {
      const x = this.axis.cursor;
      const px = x === null ? 0 : this.placeOf(x);
      const on = x !== null && px >= this.left - 0.5 && px <= this.left + this.width + 0.5;
      this.cursor.setAttribute("visibility", on ? "visible" : "hidden");
      this.cursor.setAttribute("x1", px);
      this.cursor.setAttribute("x2", px);
    }
  }

  // ------------------------------------------------------------------------------------------------ tip

  const tip = element("div", { className: "tip", hidden: true });
  tip.setAttribute("role", "status");
  document.body.append(tip);
  let active = null; // panel whose values are shown

  // Text of a coloured block, from the legend above the plot.
  const blockText = (panel, fill) => {
    const legend = panel.figure.closest(".plots")?.previousElementSibling;
    for (const swatch of legend?.querySelectorAll("i") ?? []) if (swatch.getAttribute("style") === `background:${fill}`) return swatch.parentElement.textContent;
    return "";
  };

  const fillTip = (panel) => {
    const { cursor: x, pinned } = panel.axis;
    const [name, unit] = split(panel.xLabel);
    const [, yUnit] = split(panel.yLabel);
    const px = panel.drawnPlaceOf(x);
    const [a, b] = panel.range;
    const range = panel.y1 - panel.y0;
    const head = element("b", {}, `${name} ${withUnit(format(x, b - a), unit)}`);
    const rows = [];
    for (const s of panel.visible()) {
      const v = s.name || panel.visible().length === 1 ? s.at(px) : null;
      if (!v) continue;
      const swatch = element("i");
      swatch.style.background = v.block ?? s.color;
      const value = element("span", { className: "value" }, v.block ? blockText(panel, v.block) : withUnit(format(panel.heightOf(v.y), range), yUnit));
      const [low, high] = [v.low, v.high].map((py) => (py === undefined ? "" : format(panel.heightOf(py), range)));
      const band = element("small", {}, low === high ? "" : `${low} to ${high}`);
      rows.push(swatch, element("span", {}, s.name), value, band);
    }
    const table = element("div", { className: "rows" }, ...rows);
    tip.replaceChildren(head, table);
    if (pinned) tip.append(element("small", { className: "note" }, "pinned; click it again or press Escape to release"));
  };

  const drawTip = () => {
    if (!active || active.axis.cursor === null || !isShown(active.svg)) {
      tip.hidden = true;
      return;
    }
    fillTip(active);
    tip.hidden = false;
    const at = new DOMPoint(active.placeOf(active.axis.cursor), active.top).matrixTransform(active.svg.getScreenCTM());
    const room = document.documentElement.clientWidth;
    const { width } = tip.getBoundingClientRect();
    const beside = at.x + 14 + width < room ? at.x + 14 : at.x - 14 - width;
    // Beside the cursor where there is room, else under the plot, where it hides none of it.
    const fits = beside >= 4;
    tip.style.left = `${scrollX + (fits ? beside : clamp(at.x - width / 2, 4, Math.max(4, room - width - 4)))}px`;
    tip.style.top = `${scrollY + (fits ? at.y + 4 : active.figure.getBoundingClientRect().bottom)}px`;
  };

  // ------------------------------------------------------------------------------------------------ cursor and zoom

  const timeAt = (panel, x) => {
    if (panel.xLabel === "time [s]") return x;
    const t = replay.times;
    const i = t.findIndex((p) => p[0] >= x);
    if (i <= 0) return t[i < 0 ? t.length - 1 : 0][1];
    const [a, b] = [t[i - 1], t[i]];
    return a[1] + ((b[1] - a[1]) * (x - a[0])) / (b[0] - a[0]);
  };

  const pointLinks = (axis) => {
    for (const p of axis.panels)
      if (p.link) {
        const t = axis.cursor === null ? 0 : Math.max(0, timeAt(p, axis.cursor));
        p.link.href = `${replay.page}#t=${Number(t.toFixed(3))}`;
        p.link.textContent = axis.cursor === null ? "open in 3D" : `open in 3D at ${format(t, replay.times[replay.times.length - 1][1])}\u00a0s`;
      }
  };

  const setCursor = (panel, x) => {
    panel.axis.cursor = x === null ? null : clamp(x, ...panel.range);
    active = panel;
    for (const p of panel.axis.panels) p.drawCursor();
    if (x !== null && replay) pointLinks(panel.axis); // links keep the last time while the pointer moves to them
    drawTip();
  };

  const setZoom = (axis, zoom) => {
    axis.zoom = zoom;
    for (const p of axis.panels) {
      p.drawZoom();
      p.drawCursor();
    }
    drawTip();
  };

  const zoomTo = (panel, low, high) => {
    const whole = panel.x1 - panel.x0;
    const a = Math.max(panel.x0, low);
    const b = Math.min(panel.x1, high);
    if (b - a < ZOOM_LEAST * whole) return;
    setZoom(panel.axis, b - a > 0.9999 * whole ? null : [a, b]);
  };

  const zoomBy = (panel, factor) => {
    const [a, b] = panel.range;
    const at = panel.axis.cursor ?? (a + b) / 2;
    const half = ((b - a) * factor) / 2;
    const from = clamp(at - half, panel.x0, Math.max(panel.x0, panel.x1 - 2 * half));
    zoomTo(panel, from, from + 2 * half);
  };

  const release = (panel) => {
    panel.axis.pinned = false;
    setCursor(panel, null);
  };

  // ------------------------------------------------------------------------------------------------ events

  const listen = (svg, panels) => {
    let drag = null; // {panel, from (px in the drawing), client}
    const place = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const move = (panel, px) => setCursor(panel, panel.snap(panel.valueOf(clamp(px, panel.left, panel.left + panel.width))));

    svg.addEventListener("pointerdown", (event) => {
      const p = place(event);
      const panel = panels.find((q) => q.holds(p));
      if (!panel || event.button !== 0) return;
      drag = { panel, from: clamp(p.x, panel.left, panel.left + panel.width), client: event.clientX, moved: false };
      svg.setPointerCapture(event.pointerId);
      panel.group.focus({ preventScroll: true });
      if (event.pointerType === "touch" && !panel.axis.pinned) move(panel, p.x);
    });
    svg.addEventListener("pointermove", (event) => {
      const p = place(event);
      const panel = drag?.panel ?? panels.find((q) => q.holds(p));
      if (!panel) {
        const shown = panels.find((q) => q === active);
        if (shown && !shown.axis.pinned) setCursor(shown, null);
        return;
      }
      if (drag && Math.abs(event.clientX - drag.client) > DRAG_PX) drag.moved = true;
      if (drag?.moved && event.pointerType === "touch") panel.axis.pinned = false; // a finger moves the cursor
      if (!panel.axis.pinned) move(panel, p.x);
      if (drag?.moved && event.pointerType !== "touch") {
        const to = clamp(p.x, panel.left, panel.left + panel.width);
        panel.selection.setAttribute("x", Math.min(drag.from, to));
        panel.selection.setAttribute("width", Math.abs(to - drag.from));
        panel.selection.setAttribute("visibility", "visible");
      }
    });
    svg.addEventListener("pointerup", (event) => {
      if (!drag) return;
      const { panel, from, moved } = drag;
      drag = null;
      panel.selection.setAttribute("visibility", "hidden");
      const px = clamp(place(event).x, panel.left, panel.left + panel.width);
      if (moved && event.pointerType !== "touch") {
        const [a, b] = [panel.valueOf(from), panel.valueOf(px)];
        zoomTo(panel, Math.min(a, b), Math.max(a, b));
      } else if (!moved && panel.axis.pinned && Math.abs(panel.placeOf(panel.axis.cursor) - px) < POINT_PX) release(panel);
      else {
        move(panel, px);
        panel.axis.pinned = true;
        drawTip();
      }
    });
    svg.addEventListener("pointercancel", () => {
      drag?.panel.selection.setAttribute("visibility", "hidden");
      drag = null;
    });
    svg.addEventListener("pointerleave", () => {
      const shown = panels.find((q) => q === active);
      if (shown && !drag && !shown.axis.pinned) setCursor(shown, null);
    });
    svg.addEventListener("dblclick", (event) => {
      const p = place(event);
      const panel = panels.find((q) => q.holds(p));
      if (panel) setZoom(panel.axis, null);
    });
  };

  const step = (panel, by) => {
    const [a, b] = panel.range;
    const stops = panel.stops().filter((v) => v >= a && v <= b);
    if (!stops.length) return;
    const now = panel.axis.cursor;
    let i = now === null ? Math.floor(stops.length / 2) : stops.indexOf(nearest(stops.map((v) => [v]), now)[0]);
    if (now !== null || Math.abs(by) > 1) i = clamp(i + by, 0, stops.length - 1);
    setCursor(panel, stops[i]);
  };

  const keys = (panel, event) => {
    const far = event.shiftKey ? 10 : 1;
    const does = {
      ArrowLeft: () => step(panel, -far),
      ArrowRight: () => step(panel, far),
      Home: () => step(panel, -Infinity),
      End: () => step(panel, Infinity),
      "+": () => zoomBy(panel, 0.5),
      "=": () => zoomBy(panel, 0.5),
      "-": () => zoomBy(panel, 2),
      Enter: () => {
        panel.axis.pinned = panel.axis.cursor !== null && !panel.axis.pinned;
        drawTip();
      },
      Escape: () => {
        if (panel.axis.cursor !== null) release(panel);
        else if (panel.axis.zoom) setZoom(panel.axis, null);
        else panel.group.blur();
      },
    }[event.key];
    if (!does || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    does();
  };

  // ------------------------------------------------------------------------------------------------ buttons

  const button = (text, title, click) => {
    const b = element("button", { type: "button", title }, text);
    b.addEventListener("click", click);
    return b;
  };

  // Under each drawing: zoom for those without mouse or keyboard, and the way to the replay.
  const addTools = (figure, panels) => {
    const last = () => (panels.includes(active) ? active : panels[0]);
    const tools = element("div", { className: "tools" });
    const reset = button("reset zoom", "or double-click the plot", () => panels.forEach((p) => setZoom(p.axis, null)));
    reset.className = "reset";
    tools.append(reset, button("zoom in", "around the cursor; or drag across the plot", () => zoomBy(last(), 0.5)));
    if (replay && panels.length === 1 && ["time [s]", "distance [m]"].includes(panels[0].xLabel)) {
      panels[0].link = element("a", { target: "_blank", rel: "noopener", className: "replay" });
      tools.append(panels[0].link);
    }
    const caption = figure.querySelector("figcaption");
    if (caption) caption.before(tools);
    else figure.append(tools);
  };

  // Entries that name series become switches. Those of a legend above a row of plots switch in all of them.
  const upgradeLegend = (legend, panels) => {
    const next = legend.nextElementSibling;
    const scope = next?.classList.contains("plots") ? next : legend.parentElement;
    const within = panels.filter((p) => scope.contains(p.svg));
    const entries = [...legend.children].map((e) => ({ e, name: e.textContent, series: within.flatMap((p) => p.series.filter((s) => s.name === e.textContent && !s.groups.some((g) => g.querySelector("rect")))) }));
    if (entries.length < 2 || entries.some((x) => x.series.length === 0)) return;
    const buttons = entries.map(({ e, series }) => {
      const b = button("", "hide or show; with Shift: show only this one", (event) => {
        const others = buttons.filter((o) => o !== b);
        const alone = others.every((o) => o.getAttribute("aria-pressed") === "false");
        if (event.shiftKey) {
          others.forEach((o) => o.set(alone));
          b.set(true);
        } else b.set(b.getAttribute("aria-pressed") === "false");
        all.hidden = buttons.every((o) => o.getAttribute("aria-pressed") === "true");
        drawTip();
      });
      b.append(...e.childNodes);
      b.set = (on) => {
        b.setAttribute("aria-pressed", on);
        series.forEach((s) => s.show(on));
      };
      b.set(true);
      e.replaceWith(b);
      return b;
    });
    const all = button("show all", "", () => {
      buttons.forEach((b) => b.set(true));
      all.hidden = true;
      drawTip();
    });
    all.hidden = true;
    all.className = "all";
    legend.append(all);
  };

  const prepare = () => {
    const panels = [...document.querySelectorAll("[data-plot]")].map((g) => new Panel(g));
    const drawings = new Map();
    for (const p of panels) drawings.set(p.svg, [...(drawings.get(p.svg) ?? []), p]);
    for (const [svg, list] of drawings) {
      svg.classList.add("live");
      listen(svg, list);
      addTools(list[0].figure, list);
      for (const p of list) {
        p.group.addEventListener("keydown", (event) => keys(p, event));
        p.group.addEventListener("focus", () => { if (p.group.matches(":focus-visible") && p.axis.cursor === null) step(p, 0); });
        p.group.addEventListener("blur", () => { if (!p.axis.pinned && active === p) setCursor(p, null); });
      }
    }
    for (const legend of document.querySelectorAll(".legend")) upgradeLegend(legend, panels);
    if (replay) axes.forEach(pointLinks);
  };
  prepare();
  // study.js has replaced the plots by newer ones. Zooms stay; ranges may have grown.
  document.addEventListener("renewed", () => {
    const zooms = new Map([...axes.values()].filter((axis) => axis.zoom).map((axis) => [axis.panels[0].xLabel, axis.zoom]));
    axes.clear();
    active = null;
    drawTip();
    prepare();
    axes.forEach((axis) => {
      const zoom = zooms.get(axis.panels[0].xLabel);
      if (zoom) zoomTo(axis.panels[0], ...zoom);
    });
  });
  // What was hidden by the switch had no size when it was zoomed.
  document.addEventListener("change", () => {
    axes.forEach((axis) => { if (axis.zoom) setZoom(axis, axis.zoom); });
    drawTip();
  });
  addEventListener("resize", drawTip);
})();
// ]]>
