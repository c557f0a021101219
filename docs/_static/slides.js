// Fits what the notebook gives to slides of 1024 × 768, then starts reveal.js.
//
// A slide that is too tall is drawn a little smaller. Where that is not enough, a figure stands
// without the source of its cell; then the slide is cut between two paragraphs, outputs or cells,
// and goes on below; one thing alone is drawn as small as need be.
"use strict";

const WIDTH = 1024;
const HEIGHT = 768;
const SMALL = 0.8; // text is not drawn smaller to keep two things on one slide
const LEAST = 0.3;
const FOOT = 20; // room for the number of the slide
const LARGER = [1.35, 1.25, 1.15];
const HEADING = /^H[1-6]$/;

/** What cannot be cut: paragraphs, pictures, tables, the source of a cell, each output. */
function pieces(slide) {
  const found = [];
  for (const cell of slide.querySelectorAll(".jp-Cell")) {
    const text = cell.querySelector(":scope > .jp-Cell-inputWrapper .jp-RenderedMarkdown");
    if (text) found.push(...text.children);
    else found.push(...cell.querySelectorAll(".jp-InputArea, .jp-OutputArea-child"));
  }
  return found.filter((one) => one.getBoundingClientRect().height > 0);
}

function zoom(slide, scale) {
  for (const child of slide.children) child.style.zoom = scale === 1 ? "" : scale;
}

/** How far to the right and down something reaches, whatever hides a part of it. */
function reach(slide) {
  const inside = [...slide.querySelectorAll("table, pre, img, math, p, li, blockquote, h1, h2, h3, h4, .jp-OutputArea-output")];
  const boxes = inside.map((one) => one.getBoundingClientRect());
  const far = (side) => Math.max(0, ...boxes.map((box) => box[side]));
  return { right: far("right"), bottom: far("bottom") - slide.getBoundingClientRect().top };
}

function edge(slide) {
  return slide.getBoundingClientRect().left + WIDTH - 16;
}

function fits(slide) {
  const { right, bottom } = reach(slide);
  return bottom <= HEIGHT - FOOT && right <= edge(slide) + 0.5;
}

/** Draws a table or formula that is too wide smaller, and leaves the text around it. */
function narrow(slide) {
  const right = edge(slide);
  for (const wide of slide.querySelectorAll("table, math")) {
    const box = wide.getBoundingClientRect();
    if (box.right <= right) continue;
    wide.classList.add("tight");
    const width = wide.getBoundingClientRect().width;
    wide.style.zoom = Math.min(1, Math.max(LEAST, (right - box.left) / width));
  }
}

/** The largest scale, not below `least`, at which a slide fits; 0 if there is none. */
function largest(slide, least) {
  for (let scale = 1; scale >= least - 1e-9; scale -= 0.04) {
    zoom(slide, scale);
    if (fits(slide)) return scale;
  }
  zoom(slide, 1);
  return 0;
}

/** The number of pieces that fit at the scale of small text, with no heading as the last. */
function kept(slide, all) {
  zoom(slide, SMALL);
  const top = slide.getBoundingClientRect().top;
  const room = top + HEIGHT - parseFloat(getComputedStyle(slide).paddingBottom);
  let count = all.findIndex((one) => one.getBoundingClientRect().bottom > room);
  zoom(slide, 1);
  while (count > 0 && HEADING.test(all[count - 1].tagName)) count -= 1;
  if (count > 0) return count;
  count = 1;
  while (count < all.length && HEADING.test(all[count - 1].tagName)) count += 1;
  return count;
}

/** Moves a piece and all behind it to a new slide, below the same heading. */
function cut(slide, piece) {
  const before = (one) => one.compareDocumentPosition(piece) & Node.DOCUMENT_POSITION_FOLLOWING;
  const title = [...slide.querySelectorAll("h1, h2, h3")].filter(before).at(-1);
  const range = document.createRange();
  range.setStartBefore(piece);
  range.setEndAfter(slide.lastChild);
  const next = slide.cloneNode(false);
  next.append(range.extractContents());
  for (const one of next.querySelectorAll("[id]")) one.removeAttribute("id");
  next.firstElementChild.classList.remove("fragment"); // the question stands on the slide before
  for (const one of slide.querySelectorAll(".fragment")) if (!pieces(one).length) one.remove();
  if (title && !HEADING.test(piece.tagName)) {
    const cell = title.closest(".jp-Cell").cloneNode(true);
    cell.querySelector(".jp-RenderedMarkdown").replaceChildren(title.cloneNode(true));
    for (const one of cell.querySelectorAll("[id]")) one.removeAttribute("id");
    next.prepend(cell);
  }
  slide.after(next);
  return next;
}

/** The source of the first cell that draws a figure: it would stand alone on a slide. */
function sourceOfFigure(slide) {
  const drawing = [...slide.querySelectorAll(".jp-CodeCell")].filter((one) => one.querySelector("img"));
  const sources = drawing.map((one) => one.querySelector(".jp-Cell-inputWrapper"));
  return sources.find((one) => one);
}

/** Draws a few words larger; code keeps its size, for its lines would break. */
function grow(slide) {
  if (slide.querySelector("pre")) return;
  for (const scale of LARGER) {
    zoom(slide, scale);
    if (fits(slide)) return;
  }
  zoom(slide, 1);
}

function fit(slide) {
  narrow(slide);
  while (slide && !largest(slide, SMALL)) {
    const source = sourceOfFigure(slide);
    if (source) {
      source.remove();
      continue;
    }
    const all = pieces(slide);
    const count = kept(slide, all);
    const next = count < all.length ? cut(slide, all[count]) : null;
    const scale = largest(slide, LEAST);
    if (scale === 1) grow(slide);
    if (!scale) slide.dataset.tooLarge = "";
    slide = next;
  }
  if (slide && largest(slide, SMALL) === 1) grow(slide);
}

async function start() {
  const images = [...document.images].map((image) => image.decode().catch(() => {}));
  await Promise.all([...images, document.fonts.ready]);
  const deck = document.querySelector(".reveal");
  deck.classList.add("measured");
  for (const slide of deck.querySelectorAll(".slides section"))
    if (!slide.querySelector("section")) fit(slide);
  deck.classList.remove("measured");
  await Reveal.initialize({
    width: WIDTH,
    height: HEIGHT,
    margin: 0,
    center: false,
    hash: true,
    transition: "none",
    slideNumber: "c/t",
    showNotes: false,
    pdfSeparateFragments: false,
  });
  deck.classList.add("measured"); // once more, as reveal.js has laid it out
  for (const slide of Reveal.getSlides()) if (!fits(slide)) largest(slide, LEAST);
  deck.classList.remove("measured");
  Reveal.layout();
  document.documentElement.dataset.ready = "";
}

start();
