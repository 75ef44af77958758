import { optionalPackage } from '../work/optional-package.ts';

/** What we use of bidi-js, which has no declarations: the Unicode bidirectional algorithm. */
export interface Bidi {
  getEmbeddingLevels(
    text: string,
    direction: 'ltr' | 'rtl' | 'auto',
  ): { readonly levels: Uint8Array };
  getMirroredCharacter(letter: string): string | null;
}

export async function loadBidi(): Promise<Bidi> {
  return optionalPackage('bidi-js', async () => {
    // @ts-expect-error -- the package has no declarations
    const { default: create } = (await import('bidi-js')) as { default: () => Bidi };
    return create();
  });
}
