// The scenarios of a client as tests, against a server of their own.
import { after, before, describe, test } from 'node:test';
import { ApiClient } from 'pawl/client';
import { type Driver, startDriver } from '../../scripts/clients/driver.ts';
import { type LossyProxy, startLossyProxy } from '../../scripts/clients/lossy-proxy.ts';
import { scenarios } from '../../scripts/clients/scenarios.ts';
import { type ClientServer, startServer } from '../../scripts/clients/server.ts';
import { repositoryFolder } from '../../scripts/run/repository.ts';

export interface ClientUnderTest {
  readonly label: string;
  /** Why it is left out, where its toolchain is missing. */
  readonly missing: string | false;
  readonly command: () => Promise<readonly string[]>;
}

export function conforms({ label, missing, command }: ClientUnderTest): void {
  void describe(label, { skip: missing }, () => {
    let server: ClientServer;
    let proxy: LossyProxy;
    let driver: Driver;
    before(async () => {
      server = await startServer();
      proxy = await startLossyProxy(server.url);
      const options = { command: await command(), url: proxy.url, cwd: repositoryFolder };
      driver = startDriver(options);
    });
    after(async () => {
      await driver.close();
      await proxy.stop();
      await server.stop();
    });
    for (const { title, run } of scenarios) {
      void test(title, () => run({ driver, proxy, api: new ApiClient({ url: server.url }) }));
    }
  });
}
