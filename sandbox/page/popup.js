/**
 * A list that floats over everything else, dialogs included, and is anchored to a control.
 */
import { el, fill } from "./dom.js";

const GAP = 4;
const MARGIN = 8;

export class Popup {
  /**
   * @param {HTMLElement} anchor box below (or above) which the list appears
   * @param {{role?: string, label?: string, onClose?: () => void, wide?: boolean, control?: HTMLElement}} options
   *   `control`: what opens the list, if that is not the anchor itself; its aria-expanded follows, it gets focus back
   */
  constructor(anchor, { role = null, label = null, onClose = () => {}, wide = false, control = anchor } = {}) {
    this.anchor = anchor;
    this.control = control;
    this.onClose = onClose;
    this.wide = wide;
    this.node = el("div", { class: "popup", popover: "manual", role, "aria-label": label });
    this.node.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#escape(event);
    });
    this.outside = (event) => {
      if (!this.node.contains(event.target) && !this.anchor.contains(event.target)) this.close();
    };
    this.move = () => this.place();
  }

  get isOpen() {
    return this.node.matches(":popover-open");
  }

  show(children) {
    fill(this.node, children);
    if (!this.isOpen) {
      this.node.showPopover();
      this.control.setAttribute("aria-expanded", "true");
      document.addEventListener("pointerdown", this.outside, true);
      window.addEventListener("resize", this.move);
      document.addEventListener("scroll", this.move, true);
    }
    this.place();
  }

  close() {
    if (this.isOpen) this.node.hidePopover();
    this.control.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", this.outside, true);
    window.removeEventListener("resize", this.move);
    document.removeEventListener("scroll", this.move, true);
    this.onClose();
  }

  /** Below the control, or above it where there is more room. */
  place() {
    if (!this.anchor.isConnected) {
      this.close();
      return;
    }
    const box = this.anchor.getBoundingClientRect();
    const style = this.node.style;
    style.minWidth = `${Math.max(box.width, this.wide ? 280 : 0)}px`;
    const below = window.innerHeight - box.bottom - GAP - MARGIN;
    const above = box.top - GAP - MARGIN;
    const up = below < Math.min(this.node.scrollHeight, 220) && above > below;
    style.maxHeight = `${Math.max(120, Math.min(360, up ? above : below))}px`;
    style.left = `${Math.max(MARGIN, Math.min(box.left, window.innerWidth - this.node.offsetWidth - MARGIN))}px`;
    style.top = up ? `${box.top - GAP - this.node.offsetHeight}px` : `${box.bottom + GAP}px`;
  }

  #escape(event) {
    // Esc closes the list only, not the dialog under it.
    event.preventDefault();
    event.stopPropagation();
    this.close();
    this.control.focus();
  }
}
