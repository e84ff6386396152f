// Shows the setting that a reader chooses. A scene's settings file, loaded when a control is first touched, calls
// addSettings with what differs. The address holds what is not at its start. `on` is in page.js.
"use strict";

const scenes = {};
const addSettings = (scene, data) => scenes[scene](data);
const asked = () => new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(1) : location.search);

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
  const number = () => controls.reduce((sum, { points, place }) => sum * points.length + place, 0);
  const start = number(), starts = controls.map(({ place }) => place);
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
      const { place, labels, output, button } = one;
      if (button) button.ariaPressed = one === playing;
      if (!output) continue;
      output.innerHTML = labels[place].innerHTML;
      one.field.ariaValueText = labels[place].dataset.said;
    }
    back.ariaDisabled = number() === start;
    put(number());
    clearTimeout(timer);
    timer = setTimeout(playing ? step : rest, playing ? Math.min(700, 100 + 6000 / playing.points.length) : 600);
  };

  const step = () => {
    if (tracks) playing.place++;
    if (!playing.points[playing.place + 1]) playing = null;
    show();
  };

  const rest = () => {
    const query = asked(), url = new URL(location);
    controls.forEach(({ key, points, place }, i) => place === starts[i] ? query.delete(key) : query.set(key, points[place]));
    if (`${query}` !== `${asked()}`) try {
      url.search = query;
      history.replaceState(history.state, "", url);
    } catch {
      location.replace(`#?${query}`); // from a folder, only the fragment can change
    }
    const words = sentence?.(now) ?? said.textContent;
    if (words !== said.textContent) said.textContent = words;
  };

  const load = () => {
    if (script) return;
    script = document.head.appendChild(document.createElement("script"));
    script.src = form.dataset.settings;
    script.onload = script.onerror = () => { if (!tracks) fail(); };
  };

  const fail = () => {
    script = playing = null;
    if (number() === start) return;
    form.reset();
    show();
    clearTimeout(timer);
    form.classList.add("failed");
    said.textContent = form.dataset.failed;
  };

  // A text may have slots for numbers, which come as steps in hundredths.
  const reader = (texts, places, columns) => {
    const numbers = columns?.map((steps, sum = 0) => places.map((_, i) => (sum += steps[i] ?? 0) / 100));
    return (at, i = 0) => numbers ? texts[places[at]].replace(/~/g, () => numbers[i++][at]) : texts[places[at]];
  };

  scenes[form.dataset.scene] = ({ texts, regions }) => {
    tracks = [];
    for (const element of document.querySelectorAll("[data-follow]")) {
      const nodes = element.querySelectorAll("*");
      for (const [node, name, ...values] of regions[element.dataset.follow] ?? []) {
        const text = reader(texts, ...values);
        if (element === said) sentence = text;
        else tracks.push([nodes[node] ?? element, name, text]);
      }
    }
    now = start;
    form.classList.remove("failed");
    show();
  };

  const touch = (play) => {
    playing = play;
    load();
    show();
  };

  for (const one of controls) if (one.button) on(one.button, "click", () => {
    if (playing === one) return touch();
    if (!one.points[one.place + 1]) one.place = 0;
    touch(one);
  });

  const read = () => {
    const query = asked();
    controls.forEach((one, i) => {
      const place = one.points.indexOf(query.get(one.key));
      one.place = place < 0 ? starts[i] : place;
    });
    if (number() !== now) touch();
  };

  on(form, "focusin pointerenter", load);
  on(form, "input", () => touch());
  on(back, "click", () => {
    form.reset();
    touch();
  });
  on(window, "popstate", read);
  on(window, "beforeprint", () => put(start));
  on(window, "afterprint", () => put(number()));
  read();
}
