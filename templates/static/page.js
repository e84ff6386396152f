// Shows where a number comes from and what a heatmap cell contains, on hover, focus and touch.
"use strict";

const on = (target, events, listener) => events.split(" ").forEach((event) => target.addEventListener(event, listener));
const made = (kind, ...parts) => {
  const element = document.createElement(kind);
  element.append(...parts);
  return element;
};
const tip = made("div");
tip.id = "tip";
tip.role = "status";
document.body.append(tip);
let owner, lines, closing;

const place = () => {
  if (!tip.firstChild) return;
  const box = owner.getClientRects()[0], { offsetLeft: left, offsetTop: top, width: across, height: down } = visualViewport;
  if (!box || box.bottom < top || box.top > top + down || box.right < left || box.left > left + across) return close();
  tip.style.maxWidth = `min(24rem, ${across - 16}px)`;
  tip.style.maxHeight = `${down - 16}px`;
  const { width, height } = tip.getBoundingClientRect();
  const within = (start, from, room) => `${Math.max(from + 8, Math.min(start, from + room - 8))}px`;
  tip.style.left = within(box.left + (box.width - width) / 2, left, across - width);
  tip.style.top = within(box.top < top + height + 16 ? box.bottom + 8 : box.top - height - 8, top, down - height);
};
const write = () => {
  tip.replaceChildren(...lines());
  place();
};
const show = (...what) => {
  keep();
  [owner, lines] = what;
  write();
};
const keep = () => { closing = clearTimeout(closing); };
const close = () => { keep(); tip.replaceChildren(); };
const hide = (element) => { if (element === owner) closing ??= setTimeout(close, 150); };

on(tip, "mouseenter", keep);
on(tip, "mouseleave", () => hide(owner));
addEventListener("scroll", place, true);
on(visualViewport, "scroll resize", place);
on(window, "keydown", ({ key }) => key === "Escape" && close());
on(document, "setting", () => { if (tip.firstChild) write(); });

for (const number of document.querySelectorAll("main [data-from]:not(a *)")) {
  number.tabIndex = 0;
  on(number, "mouseenter focus click", () => show(number, () => {
    const { from, stat, at } = number.dataset;
    return [made("b", number.getAttribute("value") ?? ""), made("span", stat ? `${from}.${stat}` : from), made("span", at ? `at ${at}` : "")];
  }));
  on(number, "mouseleave blur", () => hide(number));
}

// data-cells is the id of a heatmap's table, data-box the position of the cells in the drawing.
for (const drawing of document.querySelectorAll("[data-cells]")) {
  const { row, column, cells } = drawing.dataset, { rows } = document.getElementById(cells);
  const area = drawing.firstChild, svg = area.firstChild, size = svg.viewBox.baseVal, mark = made("i");
  const [x, y, width, height] = svg.dataset.box.split(" ").map((n, i) => 100 * n / (i % 2 ? size.height : size.width));
  const ends = [rows.length - 1, rows[0].cells.length - 1], high = height / ends[0], wide = width / ends[1];
  let at = [1, 1];

  const go = (to, scroll) => {
    const [i, j] = at = to.map((n, side) => Math.max(1, Math.min(n, ends[side])));
    mark.style = `left: ${x + (j - 1) * wide}%; top: ${y + (i - 1) * high}%; width: ${wide}%; height: ${high}%`;
    area.append(mark);
    if (scroll) mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    const text = (line, cell) => rows[line].cells[cell].textContent, name = (words) => made("bdi", words);
    show(mark, () => [
      made("b", text(i, j)), made("span", name(row), " ", name(text(i, 0)), ", ", name(column), " ", name(text(0, j))),
      made("span", rows[i].cells[j].dataset.spread ? `${rows[i].cells[j].dataset.spread} over all runs` : ""),
    ]);
  };
  const leave = () => { mark.remove(); hide(mark); };

  drawing.tabIndex = 0;
  on(drawing, "pointermove pointerdown", ({ clientX, clientY }) => {
    const box = area.getBoundingClientRect();
    const i = Math.ceil((100 * (clientY - box.top) / box.height - y) / high);
    const j = Math.ceil((100 * (clientX - box.left) / box.width - x) / wide);
    if (i > 0 && j > 0 && rows[i]?.cells[j]) go([i, j]);
    else leave();
  });
  on(drawing, "mouseleave blur", leave);
  on(drawing, "focus", () => drawing.matches(":focus-visible") && go(at, true));
  on(drawing, "keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    go([at[0] + step[0], at[1] + step[1]], true);
  });
}
