// The bar at the bottom: transport buttons, slider with marks of outcome and warnings, time and speed.

import { SPEEDS, type App } from "../app.ts";
import { isGood } from "../colours.ts";
import { button, byId, el, formatTime, setIcon } from "./dom.ts";

const SLIDER_STEPS = 10000;

export function makeTimeline(app: App): void {
  const bar = byId("bar");
  const play = button({ label: "Play", key: "Space", icon: "play", className: "icon primary", onClick: () => app.setPlaying(!app.running) });
  const slider = el("input", { type: "range", min: 0, max: SLIDER_STEPS, step: 1, value: 0, "aria-label": "Time", id: "scrub" });
  const marks = el("div", { class: "marks" });
  const time = el("output", { class: "time", "aria-live": "off" });
  const total = el("span", { class: "total" });
  const speed = el("select", { "aria-label": "Speed", title: "Speed ([ and ])" });
  const live = button({ label: "Back to the live state", key: "End", text: "LIVE", className: "live", onClick: () => app.goLive() });
  for (const s of SPEEDS) speed.append(el("option", { value: s }, `${s}×`));

  bar.append(
    el("div", { class: "transport", role: "group", "aria-label": "Playback" },
      button({ label: "To the start", key: "Home", icon: "start", onClick: () => app.seek(app.start) }),
      button({ label: "One sample back", key: ",", icon: "back", onClick: () => app.step(-1) }),
      play,
      button({ label: "One sample on", key: ".", icon: "forward", onClick: () => app.step(1) }),
      button({ label: "To the end", key: "End", icon: "end", onClick: () => app.seek(app.end) })),
    el("div", { class: "scrub" }, marks, slider),
    el("div", { class: "clock" }, time, total),
    speed, live);

  slider.addEventListener("input", () => app.seek(app.start + (Number(slider.value) / SLIDER_STEPS) * (app.end - app.start)));
  speed.addEventListener("change", () => app.setSpeed(Number(speed.value)));

  const showTime = () => {
    const span = app.end - app.start;
    const share = span > 0 ? (app.time - app.start) / span : 0;
    slider.value = String(Math.round(SLIDER_STEPS * share));
    slider.style.setProperty("--share", `${(100 * share).toFixed(2)}%`);
    slider.setAttribute("aria-valuetext", `${app.time.toFixed(1)} seconds`);
    time.textContent = formatTime(app.time);
    total.textContent = ` / ${formatTime(app.end)}`;
    setIcon(play, app.running ? "pause" : "play");
    play.setAttribute("aria-label", app.running ? "Pause" : "Play");
    play.title = app.running ? "Pause (Space)" : "Play (Space)";
    if (SPEEDS.includes(app.speed)) speed.value = String(app.speed);
    live.hidden = app.live === null;
    live.classList.toggle("on", app.following);
  };

  const showMarks = () => {
    marks.replaceChildren();
    const span = app.end - app.start;
    if (!(span > 0)) return;
    const mark = (t: number, kind: string, text: string) => {
      const m = el("button", { type: "button", class: `mark ${kind}`, title: text, "aria-label": text, tabindex: -1 });
      m.style.left = `${(100 * (t - app.start)) / span}%`;
      m.addEventListener("click", () => app.seek(t));
      marks.append(m);
    };
    for (const run of app.runs) {
      const done = run.done;
      if (!done) continue;
      for (const w of done.warnings) if (w.time !== null) mark(Math.min(w.time, app.end), "warning", `${formatTime(w.time)} ${w.text} (${w.count}×)`);
      mark(Math.min(done.time ?? run.end, app.end), isGood(done.outcome) ? "good" : "bad", `${done.outcome.replace(/_/g, " ")}: ${done.cause}`);
    }
  };

  app.on("time", showTime);
  app.on("live", showTime);
  app.on("runs", () => { showTime(); showMarks(); });
  app.on("done", showMarks);
}
