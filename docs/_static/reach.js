// Lets the keyboard reach a formula that is wider than the page, so that it can be scrolled.
"use strict";

function reach() {
  for (const formula of document.querySelectorAll("div.math"))
    formula.tabIndex = formula.scrollWidth > formula.clientWidth ? 0 : -1;
}

document.addEventListener("DOMContentLoaded", reach);
window.addEventListener("resize", reach);
