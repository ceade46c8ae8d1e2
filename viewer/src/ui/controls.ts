// Pointer and touch control of the cameras: drag to orbit, right or shift-drag (or two fingers) to pan, wheel or pinch to zoom.

/** What a drag or pinch moves: the cameras of a run, or the orbit around grains. */
interface Movable {
  rotate(dx: number, dy: number): void;
  shift(dx: number, dy: number): void;
  zoom(factor: number): void;
  centre(): void;
}

interface Pointer {
  x: number;
  y: number;
}

export function attachControls(canvas: HTMLCanvasElement, cameras: () => Movable | null, changed: () => void): void {
  const pointers = new Map<number, Pointer>();
  let button = 0;

  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    canvas.focus({ preventScroll: true });
    pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    button = e.button;
  });
  const release = (e: PointerEvent) => pointers.delete(e.pointerId);
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);

  canvas.addEventListener("pointermove", (e) => {
    const before = pointers.get(e.pointerId);
    const c = cameras();
    if (!before || !c) return;
    const dx = (e.clientX - before.x) / canvas.clientHeight;
    const dy = (e.clientY - before.y) / canvas.clientHeight;
    if (pointers.size === 1) {
      if (button !== 0 || e.shiftKey) c.shift(dx, dy);
      else c.rotate(4 * dx, 3 * dy);
    } else if (pointers.size === 2) {
      const [a, b] = [...pointers.values()] as [Pointer, Pointer];
      const other = before === a ? b : a;
      const old = Math.hypot(before.x - other.x, before.y - other.y);
      const now = Math.hypot(e.clientX - other.x, e.clientY - other.y);
      if (now > 4) c.zoom(old / now);
      c.shift(dx / 2, dy / 2);
    }
    before.x = e.clientX;
    before.y = e.clientY;
    changed();
  });

  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    const lines = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 * e.deltaY : e.deltaY;
    cameras()?.zoom(Math.exp(0.0012 * Math.max(-400, Math.min(400, lines))));
    changed();
  }, { passive: false });

  canvas.addEventListener("dblclick", () => {
    cameras()?.centre();
    changed();
  });
}
