// Shows the setting that a reader chooses, and keeps it in the address. A scene's settings file, loaded when a control
// is first touched, calls addSettings with what differs.
"use strict";

const scenes = {};
window.addSettings = (scene, data) => scenes[scene](data);

for (const form of document.querySelectorAll(".controls")) {
  const controls = [...form.querySelectorAll("[data-key]")].map((element) => {
    const { key, points } = element.dataset, field = form.elements[key];
    return {
      key, field, points: JSON.parse(points), labels: element.querySelectorAll(".points > *"),
      output: element.querySelector("output"), button: element.querySelector("button"),
      get place() { return +(field.type === "checkbox" ? field.checked : field.value); },
      set place(to) { field.checked = field.value = to; },
    };
  });
  const [back, said] = form.querySelectorAll(".back, .said");
  const number = () => controls.reduce((sum, { points, place }) => sum * points.length + place, 0), start = number();
  for (const one of controls) one.start = one.place;
  let now = start, sentence, tracks, script, timer, playing;

  const put = (next) => {
    for (const [node, name, text] of tracks ?? []) {
      const value = text(next);
      if (value === text(now)) continue;
      if (!name) node.textContent = value;
      else if (name === "*") node.innerHTML = value;
      else if (value === null) node.removeAttribute(name);
      else node.setAttribute(name, value);
    }
    now = next;
    document.dispatchEvent(new Event("setting"));
  };

  const show = () => {
    for (const one of controls) {
      const { field, place, labels, output, button } = one;
      if (button) button.ariaPressed = one === playing;
      if (!output) continue;
      output.innerHTML = labels[place].innerHTML;
      field.ariaValueText = labels[place].dataset.said;
    }
    back.ariaDisabled = number() === start;
    put(number());
    clearTimeout(timer);
    timer = playing ? setTimeout(step, Math.min(700, 100 + 6000 / playing.points.length)) : setTimeout(rest, 600);
  };
  const step = () => {
    if (tracks) playing.place++;
    if (!playing.points[playing.place + 1]) playing = null;
    show();
  };
  const rest = () => {
    const url = new URL(location), query = url.searchParams;
    for (const { key, points, place, start } of controls) place === start ? query.delete(key) : query.set(key, points[place]);
    // Some browsers do not let a page in a folder change its query.
    try { history.replaceState(history.state, "", url); } catch {}
    if (sentence && said.textContent !== sentence(now)) said.textContent = sentence(now);
  };

  const load = () => {
    if (script) return;
    script = made("script");
    script.src = form.dataset.settings;
    script.onload = script.onerror = finish;
    document.head.append(script);
  };
  const finish = () => {
    const failed = !tracks && number() !== start;
    form.classList.toggle("failed", failed);
    if (!tracks) script = playing = null;
    if (!failed) return;
    form.reset();
    show();
    clearTimeout(timer);
    said.textContent = form.dataset.failed;
  };
  // A text may have slots for numbers, which come as steps in hundredths.
  const reader = (texts, places, columns) => {
    const numbers = columns?.map((steps) => {
      let sum = 0;
      return places.map((_, i) => (sum += steps[i] ?? 0) / 100);
    });
    return (at, i = 0) => numbers ? texts[places[at]].replace(/~/g, () => numbers[i++][at]) : texts[places[at]];
  };
  scenes[form.dataset.scene] = ({ texts, regions }) => {
    tracks = [];
    for (const element of document.querySelectorAll("[data-follow]")) {
      const nodes = element.querySelectorAll("*");
      for (const [node, name, ...values] of regions[element.dataset.follow] ?? []) {
        if (element === said) sentence = reader(texts, ...values);
        else tracks.push([nodes[node] ?? element, name, reader(texts, ...values)]);
      }
    }
    now = start;
    show();
  };

  const touch = (play) => {
    playing = play;
    load();
    show();
  };
  const read = () => {
    const query = new URLSearchParams(location.search);
    for (const one of controls) {
      const place = one.points.indexOf(query.get(one.key));
      one.place = place < 0 ? one.start : place;
    }
    if (number() !== now) touch();
  };

  for (const one of controls) if (one.button) on(one.button, "click", () => {
    if (playing === one) return touch();
    if (!one.points[one.place + 1]) one.place = 0;
    touch(one);
  });
  on(form, "focusin pointerenter", load);
  on(form, "input", () => touch());
  on(back, "click", () => touch(form.reset()));
  on(window, "popstate", read);
  on(window, "beforeprint", () => put(start));
  on(window, "afterprint", () => put(number()));
  read();
}
