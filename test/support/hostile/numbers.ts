// JSON numbers as their senders write them, for whoever takes numbers from somebody else.

/** What a double cannot hold: it would arrive as another number. */
export const INEXACT: readonly string[] = [
  '9007199254740993',
  '-9007199254740993',
  '12345678901234567890',
  '1e400',
  '-1E+400',
  '1e-400',
  '3.14159265358979323846',
  '0.12345678901234567891',
];

/** What arrives as it was sent, however it is written. */
export const EXACT: readonly string[] = [
  '0',
  '-0',
  '1.0',
  '1.50',
  '0.1',
  '0.10000000000000001',
  '1.10000000000000000000',
  '9007199254740991',
  '9007199254740992',
  '123456789012345680000',
  '1e21',
  '1.7976931348623157e308',
  '5e-324',
  '1.23e-7',
  '0.00000012300000000000000',
  '-0.7071067811865476',
  '0.30000000000000004',
];

/** What a double can hold, and a column or a sum may still not. */
export const EXTREME: readonly string[] = [
  '9007199254740991',
  '2147483648',
  '-1.7976931348623157e308',
  '0.5',
];
