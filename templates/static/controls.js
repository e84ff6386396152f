// Shows the setting that a reader chooses. The settings file of a scene, loaded when a control is first touched, calls
// addSettings with all attributes and texts that differ. The address holds what is not at its start. `on` is in page.js.
"use strict";

const groups = {};
const addSettings = (scene, data) => groups[scene](data);
// Columns have the numbers of paths in hundredths, as steps from setting to setting: one for each ~ of a text.
const written = (texts, columns) => {
  const sums = columns?.map(() => 0);
  return !columns ? texts : texts.map((text, setting) => {
    columns.forEach((steps, index) => sums[index] += steps[setting] ?? 0);
    let index = 0;
    return text.replace(/~/g, () => sums[index++] / 100);
  });
};
const asked = () => new URLSearchParams(location.search || location.hash.split("?")[1]);
const write = (address) => history.replaceState(history.state, "", address);

for (const form of document.querySelectorAll(".controls")) {
  form.reset();
  const { scene, settings, failed } = form.dataset;
  const controls = [...form.querySelectorAll("[data-key]")].map((element) => {
    const { key } = element.dataset, field = form.elements[key];
    return {
      key, field, points: JSON.parse(element.dataset.points), labels: element.querySelectorAll(".points > *"),
      output: element.querySelector("output"), button: element.querySelector("button"),
      get place() { return +(field.type === "checkbox" ? field.checked : field.value); },
      set place(to) { field.value = to; field.checked = to; },
    };
  });
  const back = form.querySelector(".back"), status = form.querySelector(".said");
  const number = () => controls.reduce((sum, { points, place }) => sum * points.length + place, 0);
  const start = number(), starts = controls.map(({ place }) => place);
  let now = start, sentence = () => status.textContent, tracks, script, resting, playing;

  const put = (next) => {
    if (tracks && next !== now) for (const [node, name, values] of tracks) {
      const text = values[next];
      if (text === values[now]) continue;
      if (!name) node.textContent = text;
      else if (name === "*") node.innerHTML = text;
      else if (text === null) node.removeAttribute(name);
      else node.setAttribute(name, text);
    }
    if (tracks) now = next;
    document.dispatchEvent(new Event("setting"));
  };

  const show = () => {
    for (const { field, place, labels, output } of controls) if (output) {
      output.innerHTML = labels[place].innerHTML;
      field.ariaValueText = labels[place].dataset.said;
    }
    back.ariaDisabled = number() === start;
    put(number());
    clearTimeout(resting);
    if (!playing) resting = setTimeout(rest, 600);
  };

  const rest = () => {
    const query = asked();
    controls.forEach(({ key, points, place }, i) => place === starts[i] ? query.delete(key) : query.set(key, points[place]));
    const wanted = `${query}` && `?${query}`;
    try {
      write((wanted || location.pathname) + location.hash);
    } catch {
      write(`#${wanted}`); // some browsers keep the query of a page in a folder
    }
    if (tracks && status.textContent !== sentence()) status.textContent = sentence();
  };

  const load = () => {
    if (script) return;
    script = document.head.appendChild(document.createElement("script"));
    script.src = settings;
    script.onload = script.onerror = () => {
      if (tracks) return;
      script = script.remove();
      if (number() === start) return;
      stop();
      form.reset();
      show();
      clearTimeout(resting);
      form.classList.add("failed");
      status.textContent = failed;
    };
  };

  groups[scene] = (data) => {
    tracks = [];
    form.classList.remove("failed");
    for (const element of document.querySelectorAll("[data-follow]")) {
      const nodes = element.querySelectorAll("*");
      for (const [node, name, places, columns] of data.regions[element.dataset.follow] ?? []) {
        const values = written(places.map((place) => data.texts[place]), columns);
        if (element === status) sentence = () => values[now];
        else tracks.push([nodes[node] ?? element, name, values]);
      }
    }
    show();
  };

  const stop = () => {
    playing = clearInterval(playing);
    for (const { button } of controls) if (button) button.ariaPressed = false;
  };
  const touch = () => { load(); stop(); show(); };

  for (const one of controls) if (one.button) on(one.button, "click", () => {
    const { button, points: { length } } = one, pressed = button.ariaPressed === "true";
    touch();
    if (pressed) return;
    button.ariaPressed = true;
    if (one.place === length - 1) one.place = 0;
    playing = setInterval(() => {
      if (!tracks) return;
      one.place++;
      if (one.place === length - 1) stop();
      show();
    }, Math.min(700, 100 + 6000 / length));
    show();
  });

  const read = () => {
    const query = asked();
    controls.forEach((one, i) => { 
      const place = one.points.indexOf(query.get(one.key));
      one.place = place < 0 ? starts[i] : place; });
    if (number() !== now) touch();
  };

  on(form, "focusin pointerdown pointermove", load);
  on(form, "input", touch);
  on(form, "submit", (event) => event.preventDefault());
  on(back, "click", () => { form.reset(); touch(); });
  on(window, "popstate", read);
  on(window, "beforeprint", () => put(start));
  on(window, "afterprint", () => put(number()));
  read();
}
