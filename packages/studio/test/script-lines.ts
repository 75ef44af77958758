// A slide with a line for each of many scripts.
import { deckWith } from './planted.ts';

export const LINES = [
  'Latin: Grüße, façade, Łódź',
  'Ελληνικά: καλημέρα κόσμε',
  'Кириллица: здравствуй, мир',
  'العربية: مرحبا (بالعالم) 2026!',
  'עברית: שלום (עולם) 42',
  'हिन्दी: नमस्ते दुनिया क्षत्रिय',
  'বাংলা: ওহে বিশ্ব',
  'தமிழ்: வணக்கம் உலகம்',
  'ไทย: สวัสดีชาวโลกทุกคน',
  '中文：你好，世界',
  '日本語：こんにちは世界',
  'ქართული: გამარჯობა',
  'Emoji: 😀 👨‍👩‍👧 🇩🇪 1️⃣ ❤️',
  'Mixed שלום and العالم (x) end',
];

export const SCRIPTS = deckWith({
  layout: 'content',
  title: [{ text: 'Scripts – كتابات' }],
  blocks: [{ kind: 'text', paragraphs: LINES.map((text) => ({ level: 0, runs: [{ text }] })) }],
});
