/**
 * On a narrow window the sidebar is a menu that comes and goes; keyboard and screen reader can follow it.
 */
export class Menu {
  /**
   * @param {HTMLElement} app the whole page; outside of the open sidebar there is only its shade
   * @param {HTMLElement} sidebar
   */
  constructor(app, sidebar) {
    this.app = app;
    this.sidebar = sidebar;
    app.addEventListener("click", (event) => {
      if (event.target === app) this.close();
    });
    sidebar.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && this.isOpen) this.close({ focus: true });
    });
  }

  get isOpen() {
    return this.app.classList.contains("menu-open");
  }

  /** @param {HTMLElement} button what opens it: the focus goes back there */
  toggle(button) {
    if (this.isOpen) {
      this.close({ focus: true });
      return;
    }
    this.button = button;
    this.app.classList.add("menu-open");
    button.setAttribute("aria-expanded", "true");
    (this.sidebar.querySelector(".row-here") ?? this.sidebar.querySelector(".row"))?.focus();
  }

  close({ focus = false } = {}) {
    if (!this.isOpen) return;
    this.app.classList.remove("menu-open");
    this.button?.setAttribute("aria-expanded", "false");
    if (focus) this.button?.focus();
  }
}
