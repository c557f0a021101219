// Shows the stored frame of the setting of the controls; docs/frames.py writes the figures.
"use strict";

for (const figure of document.querySelectorAll("figure.frames:has(script)")) {
  const settings = JSON.parse(figure.querySelector("script").textContent);
  const controls = [...figure.querySelectorAll("input, select")];
  const image = figure.querySelector("img");
  const folder = image.getAttribute("src").replace(/[^/]*$/, "");
  const label = (control) =>
    control.options ? control.selectedOptions[0].text : JSON.parse(control.dataset.labels)[control.value];

  const show = () => {
    for (const control of controls.filter((one) => !one.options)) {
      control.setAttribute("aria-valuetext", label(control));
      control.nextElementSibling.value = label(control);
    }
    const [picture, text] = settings[controls.map((control) => control.value).join(" ")];
    const names = controls.map((one) => `${one.parentElement.firstChild.textContent} ${label(one)}`);
    image.src = folder + picture;
    image.alt = `Figure: ${names.join(", ")}`;
    figure.querySelector(".said").innerHTML = text;
  };

  const load = () => {
    for (const name of new Set(Object.values(settings).map(([picture]) => picture)))
      new Image().src = folder + name;
  };

  figure.addEventListener("input", show);
  figure.addEventListener("input", load, { once: true }); // the next moves find their pictures
  show();
}
