// Keeps an open page up to date while its author writes it. `scenebook serve` adds this script to the pages it serves;
// it is never published. It runs before the page's own scripts, so it sees the page as it was written.
//
// After a build it fetches the page again and compares it with what was fetched before. Only what differs is changed in
// the open page, so everything else stays: the scroll position, open boxes, the focus. What the page's scripts have
// taken hold of is replaced by a fresh copy if it has changed; then these scripts run again.

const root = document.documentElement;
const SCRIPTS = "script[src]", CONTROLLED = ".scene:has(.controls)", HELD = `main [data-from], [data-cells], ${CONTROLLED}`;
const KEPT = "scenebook preview";

// The page as it was fetched, and the node of the open page for each of its nodes.
const source = root.cloneNode(true);
const shown = new WeakMap();
const pair = (from, to) => {
  shown.set(from, to);
  from.childNodes.forEach((child, i) => pair(child, to.childNodes[i]));
};
pair(source, root);

// What the page's scripts know: all that was there when they started.
let known = new WeakSet();
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const remember = () => all(HELD).forEach((element) => known.add(element));
remember();

// Changing the page

const copy = (node) => {
  const written = document.importNode(node, true), live = written.cloneNode(true);
  pair(written, live);
  return [written, live];
};
const isStyle = (node) => node.nodeName === "LINK" && node.rel === "stylesheet";

const replace = (old, next) => {
  const [written, live] = copy(next), before = shown.get(old);
  old.replaceWith(written);
  if (isStyle(next)) { // the old style stays until the new one has arrived
    live.onload = live.onerror = () => before.remove();
    before.after(live);
    return;
  }
  const boxes = all("details", before);
  all("details", live).forEach((box, i) => { box.open ||= boxes[i]?.open ?? false; });
  before.replaceWith(live);
};

const insert = (parent, next, place) => {
  const [written, live] = copy(next);
  parent.insertBefore(written, place);
  const after = written.previousSibling;
  if (place) shown.get(place).before(live);
  else if (after) shown.get(after).after(live);
  else shown.get(parent).prepend(live);
};

const remove = (old) => {
  shown.get(old).remove();
  old.remove();
};

const change = (old, next) => {
  if (old.isEqualNode(next)) return;
  if (old.nodeName !== next.nodeName || isStyle(old) || old.matches?.(`${CONTROLLED}, [data-cells]`)) return replace(old, next);
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.data = shown.get(old).data = next.data;
    return;
  }
  const names = new Set([...old.getAttributeNames(), ...next.getAttributeNames()]);
  for (const name of names) {
    const value = next.getAttribute(name);
    if (value === old.getAttribute(name)) continue;
    for (const each of [old, shown.get(old)]) value === null ? each.removeAttribute(name) : each.setAttribute(name, value);
  }
  changeChildren(old, next);
};

// Children that are equal at the start and at the end stay. Between them, each new child takes the place of the next old
// one that is equal, or else of the next one of its kind.
const changeChildren = (parent, next) => {
  const olds = [...parent.childNodes], news = [...next.childNodes];
  while (olds.length && news.length && olds[0].isEqualNode(news[0])) { olds.shift(); news.shift(); }
  let end = null;
  while (olds.length && news.length && olds.at(-1).isEqualNode(news.at(-1))) { end = olds.pop(); news.pop(); }
  for (const child of news) {
    const alike = (old) => old.nodeName === child.nodeName && old.id === child.id;
    let place = olds.findIndex((old) => old.isEqualNode(child));
    if (place < 0) place = olds.findIndex((old) => alike(old) && !news.some((other) => other.isEqualNode(old)));
    if (place < 0) {
      insert(parent, child, olds[0] ?? end);
    } else {
      olds.splice(0, place).forEach(remove);
      change(olds.shift(), child);
    }
  }
  olds.forEach(remove);
};

// What stays

// The text that is being read stays where it is, whatever has changed above it.
const reading = () => {
  const places = [];
  for (let one = document.elementFromPoint(innerWidth / 2, innerHeight / 4); one; one = one.parentElement) {
    places.push([one, one.id, one.getBoundingClientRect().top]);
  }
  return () => {
    for (const [element, id, top] of places) {
      const now = element.isConnected ? element : id && document.getElementById(id);
      if (now) return scrollBy({ top: now.getBoundingClientRect().top - top, behavior: "instant" });
    }
  };
};

const focused = () => {
  const { id, name, value, type } = document.activeElement ?? {};
  return () => {
    const of = (selector) => document.querySelector(selector);
    if (document.activeElement !== document.body) return;
    const again = id ? document.getElementById(id) : name && of(`[name="${CSS.escape(name)}"]${type === "radio" ? `[value="${CSS.escape(value)}"]` : ""}`);
    again?.focus({ preventScroll: true });
  };
};

// A control's key, its field, and the places of its points, as the page's own script has them.
const field = (control) => control.closest("form").elements[control.dataset.key];
const place = (control) => +(field(control).type === "checkbox" ? field(control).checked : field(control).value);
const points = (control) => JSON.parse(control.dataset.points);
const controls = (from = document) => all(".controls [data-key]", from);

const settings = () => {
  const kept = new Map(controls().map((control) => [control.dataset.key, points(control)[place(control)]]));
  return () => {
    for (const control of controls()) {
      const to = points(control).indexOf(kept.get(control.dataset.key));
      if (to < 0 || to === place(control)) continue;
      field(control).checked = field(control).value = to;
      control.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
};

// The page's own script also reads the settings from the address when it starts.
const reload = () => {
  const url = new URL(location);
  for (const written of controls(source)) {
    const control = shown.get(written), { key } = control.dataset;
    if (place(control) === place(written)) url.searchParams.delete(key);
    else url.searchParams.set(key, points(control)[place(control)]);
  }
  history.replaceState(history.state, "", url);
  sessionStorage.setItem(KEPT, JSON.stringify([location.pathname, scrollY, all("details").map((box) => box.open)]));
  location.reload();
};

const restore = () => {
  const [path, scroll, boxes] = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  sessionStorage.removeItem(KEPT);
  if (path !== location.pathname) return;
  all("details").forEach((box, i) => { box.open = boxes[i] ?? box.open; });
  scrollTo({ top: scroll, behavior: "instant" });
};
addEventListener("load", restore);

// Updating

// As modules they can run again: each run has names of its own.
let runs = 0;
const startScripts = async () => {
  for (const written of all(HELD, source)) if (source.contains(written)) replace(written, written);
  document.getElementById("tip")?.remove();
  known = new WeakSet();
  remember();
  runs += 1;
  await Promise.all(all(SCRIPTS).filter((script) => !script.type).map(({ src }) => new Promise((done) => {
    const script = document.createElement("script");
    script.type = "module";
    script.async = false;
    script.src = `${src}${src.includes("?") ? "&" : "?"}run=${runs}`;
    script.onload = script.onerror = () => done(script.remove());
    document.head.append(script);
  })));
};

const update = async () => {
  const response = await fetch(location.pathname);
  if (!response.headers.get("Content-Type").startsWith("text/html")) return location.replace("/"); // the site has moved
  const next = new DOMParser().parseFromString(await response.text(), "text/html").documentElement;
  // Here scripts run, so the parser has taken this content as text.
  for (const each of all("noscript", next)) each.textContent = each.innerHTML;
  const scripts = (from) => all(SCRIPTS, from).map((script) => script.getAttribute("src")).join(" ");
  if (scripts(source) !== scripts(next)) return reload();
  if (source.isEqualNode(next)) return;
  root.style.overflowAnchor = "none"; // the browser's own way to keep the place would come on top of ours
  const stay = [reading(), focused()], set = settings();
  change(source, next);
  const started = all(HELD).some((element) => !known.has(element)) && startScripts();
  for (const each of stay) each();
  requestAnimationFrame(() => { root.style.overflowAnchor = ""; });
  if (await started !== false) set();
};

// Mistakes

const STYLE = `
:host { all: initial; color-scheme: light dark; }
* { box-sizing: border-box; }
section {
  position: fixed; inset: auto 0 0; z-index: 2147483647; max-height: 60vh; overflow: auto; overscroll-behavior: contain;
  font: 16px/1.45 system-ui, sans-serif; color: light-dark(#1d1d1f, #f0f0f0); background: light-dark(#fff, #1d1f23);
  border-top: 4px solid light-dark(#b3261e, #ff8a80); box-shadow: 0 -2px 16px #0004;
}
[hidden], .small ul { display: none; }
.note {
  position: fixed; inset: .5rem .5rem auto auto; z-index: 2147483647; padding: .25rem .75rem; border-radius: 4px;
  font: 14px/1.45 system-ui, sans-serif; color: light-dark(#fff, #1d1f23); background: light-dark(#1d1d1f, #f0f0f0);
  animation: later .6s step-end backwards;
}
@keyframes later { from { visibility: hidden; } }
section.quiet { inset: auto 0 0 auto; max-width: min(40rem, 100vw); border-top-color: light-dark(#8a6100, #e0b050); }
header { position: sticky; top: 0; display: flex; gap: 1rem; align-items: center; justify-content: space-between; padding: .5rem 1rem; background: inherit; }
h2 { font: inherit; font-weight: 600; margin: 0; }
button { font: inherit; min-height: 2rem; padding: 0 .75rem; color: inherit; background: none; border: 1px solid; border-radius: 4px; cursor: pointer; }
button:focus-visible, ul:focus-visible { outline: 2px solid; outline-offset: 2px; }
ul { list-style: none; margin: 0; padding: 0 1rem .75rem; }
li { padding: .5rem 0; border-top: 1px solid light-dark(#ddd, #444); overflow-wrap: anywhere; }
code, .where { font: .875rem/1.45 ui-monospace, monospace; }
code { font-weight: 600; }
.where { color: light-dark(#595959, #b0b0b0); }
p { margin: 0; white-space: pre-wrap; }
`;
const made = (kind, ...parts) => {
  const element = document.createElement(kind);
  element.append(...parts);
  return element;
};
const host = made("scenebook-preview"), panel = made("section"), title = made("h2"), list = made("ul"), toggle = made("button");
const note = made("p");
note.className = "note";
note.role = "status";
const styles = new CSSStyleSheet();
styles.replaceSync(STYLE);
const shadow = host.attachShadow({ mode: "open" });
shadow.adoptedStyleSheets = [styles];
panel.append(made("header", title, toggle), list);
shadow.append(panel, note);
panel.hidden = note.hidden = true;
toggle.onclick = () => {
  panel.classList.toggle("small");
  label();
};
const label = () => {
  const small = panel.classList.contains("small");
  toggle.textContent = small ? "Show" : "Hide";
  toggle.ariaExpanded = !small;
};
root.append(host);

const count = (problems, noun) => `${problems.length} ${noun}${problems.length === 1 ? "" : "s"}`;
const say = (text) => {
  note.textContent = text;
  note.hidden = !text;
};
let told = "";
const tell = (problems) => {
  if (JSON.stringify(problems) === told) return;
  told = JSON.stringify(problems);
  const mistakes = problems.filter(({ warning }) => !warning), quiet = !mistakes.length;
  panel.hidden = !problems.length;
  panel.role = quiet ? "status" : "alert";
  panel.className = quiet ? "quiet small" : "";
  title.textContent = quiet ? count(problems, "warning") : `${count(mistakes, "mistake")}; the page shows the last good build`;
  list.replaceChildren(...problems.map(({ place, where, message, warning }) => {
    const path = made("span", where);
    path.className = "where";
    return made("li", made("code", place), " ", path, made("p", warning ? "warning: " : "", message));
  }));
  label();
};

// Listening, while the page can be seen: a browser opens only six connections to a server.

let events, busy = Promise.resolve();
const listen = () => {
  events?.close();
  if (document.hidden) return;
  events = new EventSource("/.scenebook/events");
  events.onerror = () => say("The preview does not answer");
  events.onmessage = ({ data }) => {
    const { building, problems } = JSON.parse(data);
    say(building ? "Building\u2026" : "");
    if (building) return;
    tell(problems);
    if (problems.every(({ warning }) => warning)) busy = busy.then(update).catch(reload);
  };
};
document.addEventListener("visibilitychange", listen);
listen();
