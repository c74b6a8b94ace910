// What keys and the pointer do to the timeline, and the address that keeps its place.

class Controls extends Timeline {
  // ---- keys and pointer ----

  listen() {
    const {canvas} = this;
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("dblclick", (event) => this.doubleClick(event));
    this.map.addEventListener("pointerdown", (event) => this.pressMap(event));
    this.map.addEventListener(
      "pointermove",
      (event) => event.buttons === 1 && this.pressMap(event),
    );
    document.addEventListener("keydown", (event) => this.pageKey(event));
  }

  // Keys that do not need the lanes to have the focus.
  pageKey(event) {
    if (
      /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    if (event.key === "/") {
      event.preventDefault();
      this.field.focus();
    }
    if (event.key === "?") this.toggleKeys();
  }

  key(event) {
    if (event.ctrlKey && event.key === "c" && this.measure) {
      navigator.clipboard?.writeText(this.measureText().trim());
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const fast = event.shiftKey ? 5 : 1;
    const actions = {
      w: () => this.zoomCentre(1.3 ** fast),
      s: () => this.zoomCentre(1.3 ** -fast),
      a: () => this.panBy(-0.1 * fast),
      d: () => this.panBy(0.1 * fast),
      arrowleft: () => this.step(-1),
      arrowright: () => this.step(1),
      arrowup: () => this.otherLane(-1),
      arrowdown: () => this.otherLane(1),
      enter: () => this.goCause(),
      backspace: () => this.goBack(),
      "[": () => this.alongPath(-1),
      "]": () => this.alongPath(1),
      0: () => this.fitRun(),
      t: () => this.fitTile(),
      f: () => this.fitSelection(),
      m: () => this.startMeasure(),
      n: () => this.goHit(event.shiftKey ? -1 : 1),
      e: () => this.toggleCores(),
      c: () => this.coreChoice.focus(),
      u: () => this.toggleUnit(),
      y: () => this.togglePath(),
      escape: () => this.close(),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }

  panBy(part) {
    this.view.pan(part * this.view.span);
    this.changed();
  }

  // The wheel zooms with Ctrl, or once the lanes have the focus; else it scrolls the page.
  wheel(event) {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const zooms = event.ctrlKey || document.activeElement === this.canvas;
    if (!sideways && !zooms) return;
    event.preventDefault();
    if (sideways) this.view.pan((event.deltaX / this.view.width) * this.view.span);
    else
      this.view.zoom(
        1.0015 ** -event.deltaY * (event.shiftKey ? 1.5 ** -Math.sign(event.deltaY) : 1),
        this.view.cycle(event.offsetX - this.gutter),
      );
    this.changed();
  }

  press(event) {
    this.canvas.focus();
    this.drag = {
      x: event.offsetX,
      y: event.offsetY,
      from: this.view.from,
      moved: false,
      measures: event.shiftKey,
    };
    if (event.shiftKey) {
      const cycle = this.view.cycle(event.offsetX - this.gutter);
      this.measure = {from: cycle, to: cycle};
    }
    this.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.drag) {
      this.pointAt(event);
      return;
    }
    const distance = event.offsetX - this.drag.x;
    if (Math.abs(distance) > 3) this.drag.moved = true;
    if (!this.drag.moved) return;
    if (this.drag.measures) this.measure.to = this.view.cycle(event.offsetX - this.gutter);
    else
      this.view.pan(
        this.drag.from - (distance / this.view.width) * this.view.span - this.view.from,
      );
    if (this.selected) this.placeCard(this.selected);
    this.changed();
  }

  release(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag || drag.moved) return;
    const track = this.tracks.find(
      (one) => !one.open && event.offsetY >= one.y && event.offsetY < one.y + THIN_HEIGHT,
    );
    if (track) this.chooseCore(track.number);
    else this.select(this.storyAt(event.offsetX, event.offsetY));
  }

  pointAt(event) {
    const story = this.storyAt(event.offsetX, event.offsetY);
    const same =
      story && this.hover && story.lane === this.hover.lane && story.row === this.hover.row;
    if (same || (!story && !this.hover)) return;
    this.hover = story;
    if (!this.selected) this.showCard();
    this.redraw();
  }

  leave() {
    this.hover = null;
    if (!this.selected) this.showCard();
    this.redraw();
  }

  doubleClick(event) {
    const story = this.storyAt(event.offsetX, event.offsetY);
    if (!story) return;
    this.select(story);
    this.fitSelection();
  }

  pressMap(event) {
    const map = new View(this.view.low, this.view.high);
    map.width = this.view.width;
    const cycle = map.cycle(event.offsetX - this.gutter);
    this.view.set(cycle - this.view.span / 2, cycle + this.view.span / 2);
    this.changed();
  }

  // ---- the address keeps the place ----

  writeAddress() {
    const state = new URLSearchParams({
      from: Math.round(this.view.from),
      to: Math.round(this.view.to),
      core: this.tracks[0].number,
    });
    if (this.field.value) state.set("q", this.field.value);
    if (this.unit !== "cycles") state.set("unit", "us");
    if (!this.showPath) state.set("path", "0");
    if (this.selected)
      state.set("at", `${this.selected.lane.name}.${this.selected.lane.seq[this.selected.row]}`);
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => history.replaceState(null, "", "#" + state), 200);
  }

  readAddress() {
    const state = new URLSearchParams(location.hash.slice(1));
    if (state.get("path") === "0") this.togglePath();
    if (state.get("unit") === "us") this.toggleUnit();
    if (state.get("q")) this.search((this.field.value = state.get("q")));
    const [name, seq] = (state.get("at") || "").split(".");
    const lane = this.tracks[0].core.lanes.get(name);
    const row = lane ? lane.rowOfSeq(Number(seq)) : -1;
    if (row >= 0) this.select(storyOf(lane, row));
    if (state.has("from") && state.has("to"))
      this.view.set(Number(state.get("from")), Number(state.get("to")));
    const core = Number(state.get("core"));
    if (
      state.has("core") &&
      core !== this.tracks[0].number &&
      keptCores(this.runs[0]).includes(core)
    )
      this.chooseCore(core);
  }
}
