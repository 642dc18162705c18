"use strict";
// Shapes as small pictures, each as its name says: a form, and a colour if the name has one.

whybench.forms = {
  circle: '<circle cx="16" cy="16" r="11"/>',
  square: '<path d="M6 6h20v20H6z"/>',
  triangle: '<path d="M16 4l13 22H3z"/>',
  star: '<path d="M16 3l3.8 9 9.7.8-7.4 6.4 2.3 9.5L16 23.6l-8.4 5.1 2.3-9.5-7.4-6.4 9.7-.8z"/>',
  hexagon: '<path d="M10 5h12l7 11-7 11H10L3 16z"/>',
  oval: '<ellipse cx="16" cy="16" rx="13" ry="8"/>',
  diamond: '<path d="M16 3l10 13-10 13L6 16z"/>',
  heart: '<path d="M16 28C4 19 3 13 4 9.5 6 3.5 13.5 4 16 10c2.5-6 10-6.5 12-.5 1 3.5 0 9.5-12 18.5z"/>',
  crescent: '<path d="M20 4a12.5 12.5 0 1 0 7 19A11 11 0 0 1 20 4z"/>',
  arrow: '<path d="M3 12h14V6l12 10-12 10v-6H3z"/>',
  cross: '<path d="M12 4h8v8h8v8h-8v8h-8v-8H4v-8h8z"/>',
  ring: '<path fill-rule="evenodd" d="M16 4a12 12 0 1 1 0 24 12 12 0 1 1 0-24zm0 6a6 6 0 1 0 0 12 6 6 0 1 0 0-12z"/>',
  cube: '<path d="M5 11l7-6h15v15l-6 7H5z"/><path d="M5 11h16v16M21 11l6-6" fill="none"/>',
  cone: '<path d="M16 3L4 25c2 4 22 4 24 0z"/>',
  spiral: ["edge", "line"]
    .map((one) => `<path class="${one}" fill="none" d="M16 16c0-2 4-2 4 1 0 4-8 5-9 0-1-6 8-9 12-4 5 7-3 14-10 12C4 23 3 10 12 6"/>`)
    .join(""),
  pentagon: '<path d="M16 3l13 10-5 15H8L3 13z"/>',
};

whybench.colours = {
  red: "#d1342b",
  blue: "#2f66d0",
  green: "#2e8b45",
  yellow: "#f2d21b",
  purple: "#8446b4",
  orange: "#ef8a1d",
  white: "#ffffff",
  black: "#111111",
  pink: "#f59cc0",
  brown: "#8a5a33",
  gray: "#8d9196",
  golden: "#d4a520",
};

// The picture of what a name says, as SVG; nothing, if it names no form, or something else too.
// Names stand beside pictures, so that who does not see them misses nothing.
whybench.drawn = (name) => {
  const words = name.split(" ");
  const form = whybench.forms[words.pop()];
  const colour = words.length ? whybench.colours[words[0]] : "currentColor";
  if (!form || !colour || words.length > 1) return null;
  return `<svg class="shape" viewBox="-4 0 40 32" aria-hidden="true"><g fill="${colour}" color="${colour}" class="form">${form}</g><path class="motion" d="M-1 8q-4 8 0 16M33 8q4 8 0 16"/></svg>`;
};

// Pictures of all names, or none at all: of some they would make these stand out.
whybench.drawAll = (names) => {
  const drawn = names.map(whybench.drawn);
  return drawn.every(Boolean) ? drawn : null;
};
