// How close the rows of lists stand, kept by the browser.
import { effect, signal } from '@preact/signals';

const NAME = 'pawl-density';

export const isCompact = signal(localStorage.getItem(NAME) === 'compact');

effect(() => {
  const { dataset } = document.documentElement;
  if (isCompact.value) dataset['density'] = 'compact';
  else delete dataset['density'];
});

export function switchDensity(): void {
  isCompact.value = !isCompact.value;
  if (isCompact.value) localStorage.setItem(NAME, 'compact');
  else localStorage.removeItem(NAME);
}
