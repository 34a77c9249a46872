/**
 * Building nodes. The only place that makes elements, so that data can reach the page as text nodes only.
 */

/**
 * Make an element.
 *
 * `props`: `class`, `text`, `data` (dataset entries), `on` (listeners by event name); everything else becomes an
 * attribute (`true` = present, `false` / null / undefined = absent). Children are nodes or strings; null is skipped.
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    setProp(node, name, value);
  }
  append(node, children);
  return node;
}

/** Make an SVG element: attributes and children; nothing of it is ever read from text. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return append(node, children);
}

function setProp(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "class") node.className = value;
  else if (name === "text") node.textContent = value;
  else if (name === "data") Object.assign(node.dataset, dropEmpty(value));
  else if (name === "on") {
    for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
  } else node.setAttribute(name, value === true ? "" : String(value));
}

function dropEmpty(record) {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined && value !== null));
}

/** Append nodes and strings (as text nodes), flattening lists and skipping null. */
export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** Replace everything inside `node`. */
export function fill(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

/**
 * Make `container` hold exactly `nodes`, in order, without moving the ones that already stand right: a node that is
 * moved loses focus, and somebody may be typing in it.
 */
export function arrange(container, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...container.childNodes]) {
    if (!wanted.has(child)) child.remove();
  }
  let cursor = container.firstChild;
  for (const node of nodes) {
    if (node === cursor) cursor = cursor.nextSibling;
    else container.insertBefore(node, cursor);
  }
}

let counter = 0;

/** An id that is unique on this page, for label and description references. */
export function uid(prefix) {
  counter += 1;
  return `${prefix}-${counter}`;
}

/** Is this an address a link may lead to? Anything else stays text. */
export function safeUrl(url) {
  try {
    const parsed = new URL(String(url));
    return ["http:", "https:", "mailto:"].includes(parsed.protocol) ? parsed.href : null;
  } catch {
    return null;
  }
}

/** A link that opens in a new tab; plain text when its address is not one a browser should follow. */
export function link(url, label) {
  const href = safeUrl(url);
  if (href === null) return document.createTextNode(label);
  return el("a", { href, target: "_blank", rel: "noopener noreferrer", class: "link", text: label });
}
