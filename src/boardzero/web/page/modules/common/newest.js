/** Of several things that were begun only the newest counts: what is answered to older ones comes too late. */

export class Newest {
  constructor() {
    this.number = 0;
  }

  /** @returns {() => boolean} is what begins now still the newest? */
  begin() {
    const mine = ++this.number;
    return () => mine === this.number;
  }

  /** Whatever is under way counts no longer. */
  forget() {
    this.number += 1;
  }
}
