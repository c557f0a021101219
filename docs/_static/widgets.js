// Shows the widgets stored in a notebook's page, with the classes that ipywidgets installs.
//
// ipywidgets.js is the script of the package widgetsnbextension: an AMD module that exports all
// models and views. This file takes that module, feeds the stored states to the models, and puts
// the views where the page asks for them. There is no kernel: controls move, nothing computes.
"use strict";

const STATE = "application/vnd.jupyter.widget-state+json";
const VIEW = "application/vnd.jupyter.widget-view+json";

// The module asks for a classic notebook around it. It gets an empty one, so that it puts its
// styles on the page; whatever else it wants of that notebook (menus, a kernel) it never gets.
const nothing = { on() {} };
window.Jupyter = { version: "6.5.0", notebook: { container: nothing } };
window.requirejs = (names, then) => {
  class OutputArea {
    register_mime_type() {}
  }
  if (names.length === 3 && names[2] === "notebook/js/outputarea")
    then(window.Jupyter, nothing, { OutputArea });
};
window.requirejs.config = () => {};

/** The exports of ipywidgets.js, once that script has run. */
const widgets = {};
window.define = (needs, make) => Object.assign(widgets, make({ id: "ipywidgets", uri: "" }));

function bytes(base64) {
  const text = atob(base64);
  return new DataView(Uint8Array.from(text, (letter) => letter.charCodeAt(0)).buffer);
}

/** Keeps the models of one page; what a model or a view expects of its manager. */
class Shelf {
  constructor(states) {
    this.states = states;
    this.models = new Map();
  }

  has_model(id) {
    return id in this.states;
  }

  get_model(id) {
    if (!this.models.has(id)) this.models.set(id, this.make(id));
    return this.models.get(id);
  }

  async make(id) {
    const { state, buffers, model_name: name } = this.states[id];
    const values = { ...state };
    for (const { path, data } of buffers || []) values[path[0]] = bytes(data);
    const Model = widgets[name];
    const attributes = await Model._deserialize_state(values, this);
    const model = new Model(attributes, { model_id: id, widget_manager: this });
    model.name = name;
    model.module = state._model_module;
    return model;
  }

  async create_view(model, options = {}) {
    const View = widgets[model.get("_view_name")];
    const view = new View({ model, options });
    await view.render();
    return view;
  }

  callbacks() {
    return {};
  }

  setViewOptions(options = {}) {
    return options;
  }

  async resolveUrl(url) {
    return url;
  }

  /** Labels are text here, whatever they contain. */
  inline_sanitize(text) {
    const element = document.createElement("span");
    element.textContent = text;
    return element.innerHTML;
  }
}

/** Says what a slider sets and what a picture shows: ipywidgets writes it beside them only. */
function name(box) {
  for (const slider of box.querySelectorAll(".widget-slider")) {
    const said = {
      "aria-label": slider.querySelector(".widget-label")?.textContent,
      "aria-valuetext": slider.querySelector(".widget-readout")?.textContent,
    };
    for (const handle of slider.querySelectorAll("[role=slider]"))
      for (const [attribute, text] of Object.entries(said))
        if (text && handle.getAttribute(attribute) !== text) handle.setAttribute(attribute, text);
  }
  const words = [...box.querySelectorAll(".widget-html-content")].map((one) => one.innerText);
  const text = words.join(" ").replace(/\s+/g, " ").trim().slice(0, 300);
  for (const image of box.querySelectorAll("img.widget-image"))
    if (!image.alt) image.alt = `Figure of the controls beside it, as stored. ${text}`;
}

async function show() {
  const stored = document.querySelector(`script[type="${STATE}"]`);
  if (!stored || !widgets.load_ipython_extension) return;
  await widgets.load_ipython_extension(); // puts the styles on the page
  const shelf = new Shelf(JSON.parse(stored.textContent).state);
  for (const place of document.querySelectorAll(`script[type="${VIEW}"]`)) {
    const { model_id: id } = JSON.parse(place.textContent);
    if (!shelf.has_model(id)) continue;
    const view = await shelf.create_view(await shelf.get_model(id));
    const box = document.createElement("div");
    box.className = "stored-widget";
    place.before(box);
    widgets.JupyterLuminoWidget.attach(view.luminoWidget, box);
    const note = document.createElement("p");
    note.textContent =
      "As stored. Controls move; the figure follows them in JupyterLab: python3 dev.py lab";
    box.append(note);
    name(box);
    const follow = { subtree: true, childList: true, characterData: true };
    new MutationObserver(() => name(box)).observe(box, follow);
  }
}

document.addEventListener("DOMContentLoaded", show);
