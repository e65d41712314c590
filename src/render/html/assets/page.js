// SPDX-License-Identifier: Apache-2.0
// What all scripts of a page use: finding and making elements, and copying.
"use strict";

const weirAll = (selector, root = document) => Array.from(root.querySelectorAll(selector));

// An element, its properties and its children. A property with a "-" is an attribute.
function weirMake(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties))
    if (key.includes("-") || key === "role") element.setAttribute(key, value); else element[key] = value;
  element.append(...children);
  return element;
}

// ---- copying ----

async function weirCopy(button, text) {
  const before = button.dataset.words ??= button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = weirMake("textarea", {value: text, "aria-hidden": "true"});
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1500);
}
