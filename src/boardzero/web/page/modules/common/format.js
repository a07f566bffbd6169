/** Numbers for people. */

/** @param {number} share  0 … 1 */
export function percent(share, digits = 0) {
  return `${(100 * share).toFixed(digits)} %`.replace(" ", "\u202f");
}

/** @param {number} value  with a sign, and a real minus */
export function signed(value) {
  return value > 0 ? `+${value}` : value < 0 ? `\u2212${-value}` : "0";
}

/** @param {number} count  `12,345` */
export function count(count) {
  return Math.round(count).toLocaleString("en");
}

/** @param {number} seconds  `1:05` minutes, `1:02:03` hours */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, index) => (index ? String(part).padStart(2, "0") : String(part))).join(":");
}

/** @param {string} moment  in UTC, as the server writes it */
export function date(moment) {
  return new Date(moment).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
}

/** @param {number} number @param {string} one @param {string} [many] */
export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}
