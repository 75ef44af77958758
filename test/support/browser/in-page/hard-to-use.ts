// It runs in the page, so it stands on its own.

/** Controls and pictures without a name, a page without one title or too wide for its window. */
export function hardToUse(): string[] {
  const controls = 'a[href], button, input, select, textarea, [role=progressbar], [role=meter]';
  const nameless = [...document.querySelectorAll(`${controls}, img, [role=img]`)].filter(
    (element) => {
      const labels = (element as HTMLInputElement).labels ?? [];
      const said = [
        element.getAttribute('aria-label'),
        element.getAttribute('alt') ?? element.querySelector('img')?.getAttribute('alt'),
        element.textContent,
        ...[...labels].map((label) => label.textContent),
      ];
      const isDecoration = element.getAttribute('alt') === '';
      if (isDecoration || !element.checkVisibility()) return false;
      return said.every((one) => (one ?? '').trim() === '');
    },
  );
  const { scrollWidth, clientWidth } = document.documentElement;
  return [
    ...nameless.map((element) => `no name: ${element.outerHTML.slice(0, 120)}`),
    ...(document.querySelectorAll('h1').length === 1 ? [] : ['not exactly one first heading']),
    ...(scrollWidth > clientWidth ? [`wider than the window by ${scrollWidth - clientWidth}`] : []),
  ];
}
