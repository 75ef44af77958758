// It runs in the page, so it stands on its own.

/** Text whose contrast is below that of WCAG AA. */
export function faintText(): string[] {
  type Rgba = readonly [number, number, number, number];
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
  const rgba = (color: string): Rgba => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (top: Rgba, ground: Rgba): Rgba => {
    const mix = (at: 0 | 1 | 2): number => top[at] * top[3] + ground[at] * (1 - top[3]);
    return [mix(0), mix(1), mix(2), 1];
  };
  const groundOf = (element: Element | null): Rgba => {
    if (element === null) return [255, 255, 255, 1];
    const own = rgba(getComputedStyle(element).backgroundColor);
    return own[3] >= 1 ? own : over(own, groundOf(element.parentElement));
  };
  const light = (color: Rgba): number => {
    const [red = 0, green = 0, blue = 0] = color.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrastOf = (element: Element): number => {
    const ground = groundOf(element);
    const ink = over(rgba(getComputedStyle(element).color), ground);
    const [low = 0, high = 0] = [light(ground), light(ink)].toSorted((one, two) => one - two);
    return (high + 0.05) / (low + 0.05);
  };
  const hasText = (element: Element): boolean =>
    [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '',
    );
  return [...document.querySelectorAll('body *:not(svg *):not(script):not(option)')]
    .filter((one) => hasText(one) && one.checkVisibility() && !one.matches(':disabled'))
    .flatMap((element) => {
      const isLarge = Number.parseFloat(getComputedStyle(element).fontSize) >= 24;
      const contrast = contrastOf(element);
      if (contrast >= (isLarge ? 3 : 4.5)) return [];
      return [`contrast ${contrast.toFixed(2)}: ${element.outerHTML.slice(0, 120)}`];
    });
}
