/** Elements of HTML and SVG, made in one expression. No text is ever read as markup. */

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, unknown>} Attributes  `onclick: function` listens, `class`, `data-…`, `aria-…` and others are
 *   attributes; false, null and undefined leave an attribute out, true sets it empty
 */

/**
 * An element of HTML.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function html(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

/**
 * An element of SVG.
 * @param {string} name
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG_NAMESPACE, name), attributes, children);
}

/**
 * A symbol of `icons.svg`; it takes the colour of the text around it and says nothing to screen readers.
 * @param {string} name
 * @returns {SVGElement}
 */
export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("use", { href: `/icons.svg#${name}` }));
}

/**
 * Put these children in place of what an element holds.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodesOf(children));
}

/**
 * Let an element hold exactly these children in this order. What stands right is not touched, so that nothing slips away from
 * a pointer or the keyboard.
 * @param {Element} element
 * @param {Element[]} children
 */
export function arrange(element, children) {
  const wanted = new Set(children);
  for (const child of [...element.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, index) => {
    const present = element.children[index] ?? null;
    if (present !== child) element.insertBefore(child, present);
  });
}

/**
 * The element with an id, which the page is known to have.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element '${id}'.`);
  return found;
}

/**
 * @template {Element} Kind
 * @param {Kind} element
 * @param {Attributes} attributes
 * @param {(Child | Child[])[]} children
 * @returns {Kind}
 */
function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), /** @type {EventListener} */ (value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...nodesOf(children));
  return element;
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
function nodesOf(children) {
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}
