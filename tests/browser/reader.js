// What the browser tests measure in a page. Each function returns plain data.
({
  blocks: () => {
    const wanted = "p, li, h1, h2, h3, h4, dt, dd, th, td, summary, pre, figcaption, blockquote, nav a, svg text";
    const shown = [...document.querySelectorAll(wanted)].filter((e) => e.checkVisibility() && !e.querySelector(wanted));
    // A typeface may leave much space above and below its letters. In a drawing, nothing is placed by that space.
    const spare = (e, height) => {
      const svg = e.closest("svg");
      if (!svg) return 0;
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      return Math.max(0, height - parseFloat(getComputedStyle(e).fontSize) * scale) / 2;
    };
    return shown.map((e) => {
      const { left, top, right, bottom, height } = e.getBoundingClientRect();
      const trim = spare(e, height);
      return { text: e.textContent.trim().slice(0, 40), left, top: top + trim, right, bottom: bottom - trim };
    }).filter((box) => box.text && box.right > box.left);
  },

  overlaps(boxes) {
    const found = [];
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 2 && down > 3) found.push(`'${a.text}' on '${b.text}'`);
    }));
    return found;
  },

  sizes: () => [...document.querySelectorAll("figure svg.panel text")].map((text) => {
    const svg = text.closest("svg");
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return parseFloat(getComputedStyle(text).fontSize) * scale;
  }),

  sideways: () => [...document.querySelectorAll("body *")].filter((e) => {
    const scroller = e.parentElement.closest(".scroll, .display, .strip, pre, .wide .drawing");
    return !scroller && e.checkVisibility() && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
  }).map((e) => `${e.tagName} ${e.className.baseVal ?? e.className}`),

  cut: () => [...document.querySelectorAll("body *")].filter((e) => {
    if (!e.checkVisibility() || e.closest("#tip, .skip")) return false;
    return e.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
  }).map((e) => `${e.tagName} ${e.className.baseVal ?? e.className}: ${e.textContent.slice(0, 40)}`),

  // The boxes that scroll sideways and cut off something above or below the line.
  clipped: () => [...document.querySelectorAll(".strip, .display, .scroll")].filter((e) => {
    const box = e.getBoundingClientRect();
    const within = [...e.querySelectorAll("math *")].map((part) => part.getBoundingClientRect());
    return e.checkVisibility() && within.some(({ top, bottom, height }) => height && (top < box.top - 1 || bottom > box.bottom + 1));
  }).map((e) => e.textContent.slice(0, 60)),

  // The sides on which the tip leaves the visible part of the page.
  astray: () => {
    const { left, top, right, bottom } = document.querySelector("#tip").getBoundingClientRect();
    const { offsetLeft, offsetTop, width, height } = visualViewport;
    const room = { left: left - offsetLeft, top: top - offsetTop, right: offsetLeft + width - right, bottom: offsetTop + height - bottom };
    return Object.entries(room).filter(([, pixels]) => pixels < 0).map(([side]) => side);
  },

  lines: () => [...document.querySelectorAll(".scene > .prose > p")].flatMap((p) => {
    const range = document.createRange(), found = new Map();
    const walk = document.createTreeWalker(p, NodeFilter.SHOW_TEXT);
    if (p.querySelector("math")) return [];
    while (walk.nextNode()) {
      for (let i = 0; i < walk.currentNode.length; i++) {
        range.setStart(walk.currentNode, i);
        range.setEnd(walk.currentNode, i + 1);
        const { width, bottom } = range.getBoundingClientRect();
        if (width) found.set(Math.round(bottom / 9), (found.get(Math.round(bottom / 9)) ?? 0) + 1);
      }
    }
    return [...found.values()].slice(0, -1);
  }),
})
