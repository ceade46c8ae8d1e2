// Pictures of the run: a screenshot, a WebM video by the browser's recorder, and numbered frames in a ZIP archive.

import type { App } from "../app.ts";
import { makeZip } from "../zip.ts";
import { button, byId, el } from "./dom.ts";

const MAX_FRAMES = 3000;

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const a = el("a", { href: url, download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function fileName(app: App, suffix: string): string {
  const base = (app.run?.head.name ?? "grouser").replace(/[^\w.-]+/g, "_").slice(0, 60);
  return `${base}_${app.time.toFixed(2)}s${suffix}`;
}

export class Capture {
  private recorder: MediaRecorder | null = null;
  private cancelled = false;
  private menu = el("div", { class: "menu", id: "capture-menu", hidden: true });
  private video = button({ label: "Record a WebM video of what is shown", text: "Record video (WebM)", onClick: () => this.toggleVideo() });
  private progress = el("p", { class: "note", role: "status" });

  constructor(private app: App) {
    const open = button({ label: "Screenshot, video, frames", icon: "camera", onClick: () => this.show(this.menu.hidden === true) });
    open.id = "open-capture";
    open.setAttribute("aria-haspopup", "true");
    const rate = el("input", { type: "number", value: 25, min: 1, max: 60, "aria-label": "Frames per second" });
    this.menu.append(
      button({ label: "Save the picture as PNG", key: "O", text: "Screenshot (PNG)", onClick: () => void this.screenshot() }),
      this.video,
      el("div", { class: "row" },
        button({ label: "Save the whole run as numbered PNG files in a ZIP archive, at the chosen speed", text: "Frames (ZIP)", onClick: () => void this.frames(Number(rate.value)) }), rate, el("span", {}, "per s")),
      this.progress);
    byId("buttons").prepend(el("div", { class: "popup" }, open, this.menu));
    document.addEventListener("pointerdown", (e) => { if (!(e.target as Element).closest(".popup") && !this.recorder) this.show(false); });
  }

  private show(on: boolean): void {
    this.menu.hidden = !on;
  }

  async screenshot(): Promise<void> {
    const blob = await this.app.view?.snapshot();
    if (blob) save(blob, fileName(this.app, ".png"));
  }

  toggleVideo(): void {
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    const canvas = this.app.view?.canvas;
    if (!canvas || typeof MediaRecorder === "undefined") {
      this.progress.textContent = "This browser cannot record video.";
      return;
    }
    const parts: Blob[] = [];
    const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: MediaRecorder.isTypeSupported("video/webm;codecs=vp9") ? "video/webm;codecs=vp9" : "video/webm", videoBitsPerSecond: 8e6 });
    recorder.ondataavailable = (e) => parts.push(e.data);
    recorder.onstop = () => {
      this.recorder = null;
      this.video.querySelector("span")!.textContent = "Record video (WebM)";
      document.body.classList.remove("recording");
      save(new Blob(parts, { type: "video/webm" }), fileName(this.app, ".webm"));
    };
    recorder.start(1000);
    this.recorder = recorder;
    this.video.querySelector("span")!.textContent = "Stop and save video";
    document.body.classList.add("recording");
    if (!this.app.running) this.app.setPlaying(true);
  }

  /** Every frame is drawn at its own time, however long that takes. */
  async frames(rate: number): Promise<void> {
    const { app } = this;
    if (!app.view || !(rate > 0) || app.end <= app.start) return;
    const step = app.speed / rate;
    const count = Math.min(MAX_FRAMES, Math.floor((app.end - app.start) / step) + 1);
    const files: { name: string; data: Uint8Array }[] = [];
    this.cancelled = false;
    const cancel = button({ label: "Cancel", text: "Cancel", onClick: () => (this.cancelled = true) });
    for (let k = 0; k < count && !this.cancelled; k++) {
      app.seek(app.start + k * step);
      await app.nextFrame();
      const blob = await app.view.snapshot();
      if (!blob) break;
      files.push({ name: `frame_${String(k + 1).padStart(5, "0")}.png`, data: new Uint8Array(await blob.arrayBuffer()) });
      this.progress.replaceChildren(`Frame ${k + 1} of ${count} `, cancel);
    }
    this.progress.textContent = this.cancelled ? "Cancelled." : count === MAX_FRAMES ? `Only the first ${MAX_FRAMES} frames were saved; choose a higher speed.` : "";
    if (!this.cancelled) save(new Blob(makeZip(files) as BlobPart[], { type: "application/zip" }), fileName(app, "_frames.zip"));
  }
}
