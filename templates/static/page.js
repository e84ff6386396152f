// Shows where a number comes from and what a heatmap cell contains, on hover, focus and touch. The page works without it.
"use strict";

const tip = document.body.appendChild(document.createElement("div"));
tip.id = "tip";
tip.role = "status";
let owner, closing;

const line = (kind, text) => Object.assign(document.createElement(kind), { textContent: text });

function show(element, ...lines) {
  keep();
  owner = element;
  tip.replaceChildren(...lines);
  place();
}

// The tip is above its owner, or below it if there is no room. It always stays in the visible part of the page, which
// depends on the keyboard and the zoom of a phone.
function place() {
  if (!tip.firstChild) return;
  const box = owner.getClientRects()[0], { offsetLeft: left, offsetTop: top, width: across, height: down } = visualViewport;
  if (!box || box.bottom < top || box.top > top + down || box.right < left || box.left > left + across) return close();
  tip.style.maxWidth = `min(24rem, ${across - 16}px)`;
  tip.style.maxHeight = `${down - 16}px`;
  const { width, height } = tip.getBoundingClientRect();
  const within = (start, from, room, length) => `${Math.max(from + 8, Math.min(start, from + room - length - 8))}px`;
  tip.style.left = within(box.left + (box.width - width) / 2, left, across, width);
  tip.style.top = within(box.top < top + height + 16 ? box.bottom + 8 : box.top - height - 8, top, down, height);
}

const keep = () => { closing = clearTimeout(closing); };
const close = () => { keep(); tip.replaceChildren(); };
const hide = (element) => { if (element === owner) closing ??= setTimeout(close, 150); };
const on = (target, events, listener) => events.split(" ").forEach((event) => target.addEventListener(event, listener));

on(tip, "mouseenter", keep);
on(tip, "mouseleave", () => hide(owner));
addEventListener("scroll", place, true);
on(visualViewport, "scroll resize", place);
on(window, "keydown", (event) => { if (event.key === "Escape") close(); });

// Numbers in the text: data-from has the names of the scene and the value, `value` has all digits.
for (const number of document.querySelectorAll("main [data-from]:not(a *)")) {
  const digits = number.getAttribute("value");
  number.tabIndex = 0;
  on(number, "mouseenter focus click", () => show(
    number, ...(digits ? [line("b", digits)] : []), line("span", number.dataset.from)));
  on(number, "mouseleave blur", () => hide(number));
}

// Heatmaps: data-cells is the id of the table with their data, data-box is the position of the cells in the drawing.
for (const drawing of document.querySelectorAll("[data-cells]")) {
  const { row, column, cells } = drawing.dataset;
  const table = document.getElementById(cells);
  const [head, ...rows] = [...table.rows].map((found) => [...found.cells].map((cell) => cell.textContent));
  const svg = drawing.querySelector("svg"), size = svg.viewBox.baseVal;
  const [x, y, width, height] = svg.dataset.box.split(" ").map((n, i) => n / (i % 2 ? size.height : size.width));
  const high = height / rows.length, wide = width / (head.length - 1);
  const mark = svg.parentElement.appendChild(document.createElement("i"));
  const at = [0, 0];

  const go = (...place) => {
    const [i, j] = place.map((n, side) => (at[side] = Math.max(0, Math.min(n, [rows.length, head.length - 1][side] - 1))));
    const sides = { left: x + j * wide, top: y + i * high, width: wide, height: high };
    for (const side in sides) mark.style[side] = `${sides[side] * 100}%`;
    mark.hidden = false;
  };
  const describe = () => {
    const [i, j] = at;
    const where = line("span", "");
    where.append(line("bdi", row), " ", line("bdi", rows[i][0]), ", ", line("bdi", column), " ", line("bdi", head[j + 1]));
    show(mark, line("b", rows[i][j + 1]), where);
  };
  const follow = (...place) => {
    go(...place);
    mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    describe();
  };
  const leave = () => { mark.hidden = true; hide(mark); };

  mark.hidden = true;
  drawing.tabIndex = 0;
  on(drawing, "pointermove pointerdown", (event) => {
    const area = svg.getBoundingClientRect();
    const i = Math.floor(((event.clientY - area.top) / area.height - y) / high);
    const j = Math.floor(((event.clientX - area.left) / area.width - x) / wide);
    if (!rows[i] || !head[j + 1] || j < 0) return leave();
    go(i, j);
    describe();
  });
  on(drawing, "mouseleave blur", leave);
  on(drawing, "focus", () => { if (drawing.matches(":focus-visible")) follow(...at); });
  on(drawing, "keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    follow(at[0] + step[0], at[1] + step[1]);
  });
}
