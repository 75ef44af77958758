// The types of playwright-core name kinds of elements. Their names are enough here, and the rest of
// the DOM's types stays out of code that runs in Node.
interface Node {}
interface HTMLElement {}
interface SVGElement {}
interface HTMLElementTagNameMap {}
