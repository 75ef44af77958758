// Slides that look unlike LibreOffice's for reasons that are no loss of the deck, each seen by eye.

const SCATTER =
  'the scale of the places begins at zero, as in PowerPoint; LibreOffice begins at the data';
const UNFILLED = 'a placeholder that nobody filled, which is only seen while editing';
const HAIRLINES = 'three pale hairlines on black, of which ours are brighter; nothing else is ink';

/** By file and slide. */
export const EXPLAINED: Readonly<Record<string, string>> = {
  'cht-axis-props.pptx 5': SCATTER,
  'ph-populated-placeholders.pptx 9': UNFILLED,
  'Portfolio.otp 1': HAIRLINES,
  'Portfolio.otp 2': HAIRLINES,
  'Portfolio.otp 3': HAIRLINES,
};
