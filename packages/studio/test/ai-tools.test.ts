// Tools: what a model asks for is the result of a job, and what came of it goes into the next one.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AiResult } from '../src/ai/job.ts';
import { openFixture } from './ai-fixture.ts';
import { resultOf } from './job-fixture.ts';
import { callsTool, streams } from './model-server.ts';

const weather = {
  name: 'weather',
  description: 'The weather at a place.',
  parameters: { type: 'object', properties: { place: { type: 'string' } } },
};

describe('an ai job with tools', () => {
  test('returns the calls that the model wants, and goes on with what came of them', async (context) => {
    const fixture = await openFixture(context);
    fixture.server.reply(callsTool('weather', '{"place":', '"quay"}'), streams('Fog.'));
    const asked = { role: 'user', content: 'Can we sail?' };
    const first = await fixture.run('ai', {
      messages: [asked],
      tools: [weather],
      toolChoice: 'weather',
    });
    const { toolCalls, finishReason, response } = resultOf<AiResult>(first);
    assert.deepEqual(toolCalls, [{ id: 'call_7', name: 'weather', arguments: { place: 'quay' } }]);
    assert.deepEqual([finishReason, response], ['tool_calls', '']);
    const { body } = fixture.server.received[0]!;
    assert.deepEqual(body.tools, [{ type: 'function', function: weather }]);
    assert.deepEqual(body.tool_choice, { type: 'function', function: { name: 'weather' } });
    const second = await fixture.run('ai', {
      tools: [weather],
      messages: [
        asked,
        { role: 'assistant', content: '', toolCalls },
        { role: 'tool', content: 'fog', toolCallId: 'call_7' },
      ],
    });
    assert.equal(resultOf<AiResult>(second).response, 'Fog.');
    const [, said, told] = fixture.server.received[1]!.body.messages;
    assert.deepEqual(said.tool_calls, [
      {
        id: 'call_7',
        type: 'function',
        function: { name: 'weather', arguments: '{"place":"quay"}' },
      },
    ]);
    assert.deepEqual(told, { role: 'tool', content: 'fog', tool_call_id: 'call_7' });
  });

  test('is tried again where the arguments are no JSON', async (context) => {
    const fixture = await openFixture(context);
    fixture.server.reply(callsTool('weather', '{"place":'), callsTool('weather', '{}'));
    const job = await fixture.run('ai', { prompt: 'Well?', tools: [weather] });
    assert.equal(job.phase, 'waiting');
    await fixture.pass(10_000);
    const { toolCalls } = resultOf<AiResult>(await fixture.world.job(job));
    assert.deepEqual(toolCalls[0]?.arguments, {});
  });

  test('is refused where its calls could not be kept, or nothing has such a tool', async (context) => {
    const fixture = await openFixture(context, { mayPersist: false });
    const job = await fixture.run('ai', { prompt: 'Well?', tools: [weather] });
    assert.equal(job.error?.code, 'AI_TOOLS_NOT_KEPT');
    const message = { role: 'tool', content: 'fog' };
    for (const [input, pointer] of [
      [{ prompt: 'Well?', tools: [weather], persist: false }, '/persist'],
      [{ prompt: 'Well?', tools: [weather], toolChoice: 'tide' }, '/toolChoice'],
      [{ messages: [message] }, '/messages/0'],
    ] as const) {
      const { error } = await fixture.run('ai', input);
      assert.match(JSON.stringify(error), new RegExp(pointer));
    }
  });
});
