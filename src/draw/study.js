// <![CDATA[
// The page of a study: its dots are runs, and it follows a campaign that runs.
//
// A click on a dot marks the dots of its run in all figures and shows the command that repeats the run. A page that grouser
// itself serves (its scripts have a nonce) asks every second for state.json, shows the progress, and when the page has
// changed replaces its content: the view stays at the same section, zooms and the chosen run stay. A page from a file loads
// itself again while its campaign runs. Texts are only ever set as text, never as markup.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const POINT_PX = 9; // a click further from a dot is not meant for it
  const ASK_MS = 1000;
  const RELOAD_MS = 3000;
  const PAUSE = 5; // times what it took to draw the page
  const main = document.querySelector("main");
  const served = Boolean(document.currentScript?.nonce);
  const element = (tag, properties, ...children) => {
    const e = Object.assign(document.createElement(tag), properties);
    e.append(...children);
    return e;
  };
  const button = (text, title, click) => {
    const b = element("button", { type: "button", title }, text);
    b.addEventListener("click", click);
    return b;
  };

  // ------------------------------------------------------------------------------------------------ dots

  const runOf = (dot) => /^run (\d+):/.exec(dot?.querySelector("title")?.textContent ?? "")?.[1]; // titles begin with "run ID:"
  const bar = element("div", { className: "run", hidden: true });
  bar.setAttribute("role", "status");
  document.body.append(bar);
  let dots = new Map(); // of each run
  let rings = [];
  let chosen; // id of a run

  const ring = (dot) => {
    const e = document.createElementNS(SVG, "circle");
    for (const [name, value] of Object.entries({ cx: dot.getAttribute("cx"), cy: dot.getAttribute("cy"), r: 6, class: "ring" })) e.setAttribute(name, value);
    dot.ownerSVGElement.append(e);
    return e;
  };

  const choose = (id) => {
    const own = dots.get(id) ?? [];
    rings.forEach((e) => e.remove());
    rings = own.map(ring);
    chosen = own.length ? id : undefined;
    bar.hidden = chosen === undefined;
    if (bar.hidden) return;
    const study = document.getElementById("study").dataset;
    const parts = [element("span", { textContent: own[0].querySelector("title").textContent })];
    if (study.command) {
      const command = study.command + id;
      const copy = button("copy", "copy the command", () => navigator.clipboard?.writeText(command).then(() => { copy.textContent = "copied"; }, () => {}));
      parts.push(element("code", { textContent: command }), copy);
    }
    bar.replaceChildren(...parts, button("\u00d7", "close", () => choose()));
  };

  const dotAt = (event) => { // lines and bands may lie over a dot
    let best = null;
    let least = POINT_PX;
    for (const dot of event.target.closest?.("svg")?.querySelectorAll("circle:has(title)") ?? []) {
      const box = dot.getBoundingClientRect();
      const distance = Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
      if (distance < least && runOf(dot)) [best, least] = [dot, distance];
    }
    return best;
  };

  const collectDots = () => {
    dots = new Map();
    for (const dot of document.querySelectorAll("circle")) {
      const id = runOf(dot);
      if (id !== undefined) dots.set(id, [...(dots.get(id) ?? []), dot]);
    }
  };

  collectDots();
  document.addEventListener("click", (event) => { if (!bar.contains(event.target)) choose(runOf(dotAt(event))); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") choose(); });

  // ------------------------------------------------------------------------------------------------ live

  let held = false; // a button or finger is down: nothing is replaced under it
  addEventListener("pointerdown", () => { held = true; }, true);
  for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => { held = false; }, true);

  // The last heading above the view, and where it is: the content above it may grow.
  const anchor = () => {
    const heads = [...main.querySelectorAll("h2")].filter((h) => h.getBoundingClientRect().top < innerHeight / 3);
    const head = heads[heads.length - 1];
    return head && { text: head.textContent, top: head.getBoundingClientRect().top };
  };

  let version = document.currentScript?.dataset.version;
  const renew = (text) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const fresh = page.querySelector("main");
    version = page.querySelector("script[data-version]")?.dataset.version ?? version;
    if (!fresh) return;
    const at = anchor();
    const y = scrollY;
    const sideways = [...main.querySelectorAll(".wide")].map((e) => e.scrollLeft);
    main.replaceChildren(...document.importNode(fresh, true).childNodes);
    main.querySelectorAll(".wide").forEach((e, i) => { e.scrollLeft = sideways[i] ?? 0; });
    rings = [];
    collectDots();
    choose(chosen);
    document.dispatchEvent(new Event("renewed"));
    const head = at && [...main.querySelectorAll("h2")].find((h) => h.textContent === at.text);
    scrollTo({ top: head ? scrollY + head.getBoundingClientRect().top - at.top : y, behavior: "instant" });
  };

  const meter = element("progress", { max: 1 });
  const words = element("span");
  const state = element("div", { className: "state", hidden: true }, meter, words);
  state.setAttribute("role", "status");

  const show = ({ running, done, total, text }) => {
    state.hidden = false;
    meter.hidden = !running || !(total > 0);
    meter.value = total > 0 ? done / total : 0;
    words.textContent = text;
  };

  let earliest = 0; // large pages take long to draw, and a reader wants to scroll in between
  const ask = async () => {
    const got = await (await fetch("state.json", { cache: "no-store" })).json();
    show(got);
    if (String(got.version) === version || held || !getSelection().isCollapsed || (got.running && performance.now() < earliest)) return;
    const text = await (await fetch("./", { cache: "no-store" })).text();
    const start = performance.now();
    renew(text);
    await Promise.race([new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))), new Promise((resolve) => setTimeout(resolve, ASK_MS))]);
    earliest = performance.now() + PAUSE * (performance.now() - start);
  };

  const follow = async () => {
    try {
      await ask();
      state.classList.remove("lost");
    } catch {
      state.hidden = false;
      meter.hidden = true;
      state.classList.add("lost");
      words.textContent = "grouser has ended or cannot be reached: this is the last state";
    }
    setTimeout(follow, ASK_MS);
  };

  if (served) {
    main.before(state);
    follow();
  } else if (document.getElementById("study").dataset.running) setTimeout(() => location.reload(), RELOAD_MS);
})();
// ]]>
