// Shows the stored frame of the setting of the controls; docs/frames.py writes the figures.
"use strict";

function field({ options, start, slider }) {
  const made = document.createElement(slider ? "input" : "select");
  if (slider) Object.assign(made, { type: "range", min: 0, max: options.length - 1 });
  else made.append(...options.map((text, place) => new Option(text, place)));
  made.value = start;
  return made;
}

for (const figure of document.querySelectorAll("figure.frames:has(script)")) {
  const { controls, settings } = JSON.parse(figure.querySelector("script").textContent);
  const image = figure.querySelector("img");
  const folder = image.getAttribute("src").replace(/[^/]*$/, "");
  const fields = controls.map(field);
  const values = controls.map(() => document.createElement("output"));

  const show = () => {
    const labels = controls.map(({ options }, place) => options[fields[place].value]);
    const [picture, text] = settings[fields.map((one) => one.value).join(" ")];
    fields.forEach((one, place) => one.type === "range" && one.setAttribute("aria-valuetext", labels[place]));
    values.forEach((one, place) => (one.value = labels[place]));
    image.src = folder + picture;
    image.alt = `Figure: ${controls.map(({ label }, place) => `${label} ${labels[place]}`).join(", ")}`;
    figure.querySelector(".said").innerHTML = text;
  };

  const load = () => {
    for (const name of new Set(Object.values(settings).map(([picture]) => picture)))
      new Image().src = folder + name;
  };

  controls.forEach(({ label, options, slider }, place) => {
    if (options.length === 1) return; // a field to type into, which needs a kernel
    const line = document.createElement("label");
    line.append(label, fields[place], ...(slider ? [values[place]] : []));
    figure.querySelector(".controls").append(line);
  });
  figure.addEventListener("input", show);
  figure.addEventListener("input", load, { once: true }); // the next moves find their pictures
  show();
}
