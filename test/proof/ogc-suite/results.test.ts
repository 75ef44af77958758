import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testsIn } from './results.ts';

const REPORT = `<testng-results><suite><test><class>
  <test-method is-config="true" signature="x" name="initCommonFixture" status="PASS"/>
  <test-method signature="x" name="testHttp" duration-ms="3" status="PASS"></test-method>
  <test-method name="testJobCreationInputArray" status="SKIP"><exception class="SkipException">
    <message><![CDATA[No input of type
      array found.]]></message></exception></test-method>
  <test-method name="testJobList" status="FAIL"><exception><message>no jobs</message></exception>
  </test-method></class></test></suite></testng-results>`;

test('a report of the suite is read by test, with the reason of each that did not pass', () => {
  assert.deepEqual(testsIn(REPORT), [
    { name: 'testHttp', status: 'PASS', reason: null },
    {
      name: 'testJobCreationInputArray',
      status: 'SKIP',
      reason: 'No input of type array found.',
    },
    { name: 'testJobList', status: 'FAIL', reason: 'no jobs' },
  ]);
});
