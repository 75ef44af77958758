/** One test of the suite, as TestNG's report tells it. */
export interface SuiteTest {
  readonly name: string;
  readonly status: 'PASS' | 'FAIL' | 'SKIP';
  /** Why it failed, or the condition under which it is skipped. */
  readonly reason: string | null;
}

const METHOD = /<test-method\b([^>]*?)(?:\/>|>([\s\S]*?)<\/test-method>)/g;
const MESSAGE = /<message>\s*(?:<!\[CDATA\[)?([\s\S]*?)(?:\]\]>)?\s*<\/message>/;
const REASON_LENGTH_MAX = 300;

function attributeIn(text: string, name: string): string | null {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? null;
}

function isStatus(text: string | null): text is SuiteTest['status'] {
  return text === 'PASS' || text === 'FAIL' || text === 'SKIP';
}

/** The tests of a `testng-results.xml`, without the methods that only prepare them. */
export function testsIn(xml: string): SuiteTest[] {
  return [...xml.matchAll(METHOD)].flatMap(([, head = '', body = '']) => {
    const status = attributeIn(head, 'status');
    const name = attributeIn(head, 'name');
    if (attributeIn(head, 'is-config') === 'true' || name === null || !isStatus(status)) return [];
    const reason = MESSAGE.exec(body)?.[1]?.replaceAll(/\s+/g, ' ').trim() ?? null;
    return [{ name, status, reason: reason?.slice(0, REASON_LENGTH_MAX) ?? null }];
  });
}
