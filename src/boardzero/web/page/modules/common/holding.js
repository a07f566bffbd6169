/** Keeping presses away from what is about to be replaced. */

/** @type {WeakMap<HTMLElement, number>} how many pieces of work hold an element */
const holders = new WeakMap();

/**
 * Nothing in an element can be pressed while this is done: a press would be about something that is no longer there.
 * @template Result
 * @param {HTMLElement} element
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function holding(element, work) {
  const focused = document.activeElement;
  holders.set(element, (holders.get(element) ?? 0) + 1);
  element.inert = true;
  try {
    return await work();
  } finally {
    const others = (holders.get(element) ?? 1) - 1;
    holders.set(element, others);
    element.inert = others > 0;
    const lost = document.activeElement === document.body || document.activeElement === null;
    if (lost && focused instanceof HTMLElement && element.contains(focused)) focused.focus({ preventScroll: true });
  }
}

/**
 * Do this once, however often its button is pressed meanwhile.
 * @param {HTMLButtonElement} pressed
 * @param {() => unknown} work
 */
export async function once(pressed, work) {
  if (pressed.getAttribute("aria-disabled") === "true") return;
  pressed.setAttribute("aria-disabled", "true"); // it keeps the focus, which `disabled` would take away
  try {
    await work();
  } finally {
    pressed.removeAttribute("aria-disabled");
  }
}
