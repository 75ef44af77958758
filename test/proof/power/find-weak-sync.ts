import { cutPowerWeakly, whyNotHere } from './power-cut.ts';

/** Whether the power cut tells a store that does not wait for its disk from one that does. */
export async function findWeakSync(): Promise<
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'tried'; readonly told: string | null }
> {
  const reason = whyNotHere();
  if (reason !== null) return { kind: 'skipped', reason };
  const { acknowledged, lost } = await cutPowerWeakly('sqlite');
  const told = `I1 ${lost} of ${acknowledged} acknowledged jobs were lost`;
  return { kind: 'tried', told: lost > 0 ? told : null };
}
