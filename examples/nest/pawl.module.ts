// Pawl as a module of Nest: `PawlModule.forRoot(…)` once, `@InjectPawl() pawl: Pawl` everywhere.
import { type DynamicModule, Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { openPawl, type Pawl, type PawlOptions } from 'pawl';
import { handler, type HandlerOptions, type PawlHandler } from '@pawl/server';

const PAWL = Symbol('pawl');
const DASHBOARD = Symbol('pawl dashboard');

export interface PawlModuleOptions extends PawlOptions {
  readonly dashboard: {
    /** Where it is mounted, such as `/admin/jobs`. */
    readonly path: string;
    /** Middleware of yours that lets nobody through but those who may see it. */
    readonly guard: (request: any, response: any, next: () => void) => void;
    readonly identify?: HandlerOptions['identify'];
  };
}

/** A parameter decorator for the open Pawl. */
export const InjectPawl = (): ParameterDecorator => Inject(PAWL);

async function open(options: PawlOptions): Promise<Pawl> {
  const pawl = await openPawl(options);
  pawl.work();
  return pawl;
}

@Module({})
export class PawlModule implements OnModuleDestroy {
  readonly #pawl: Pawl;
  readonly #dashboard: PawlHandler;

  constructor(@InjectPawl() pawl: Pawl, @Inject(DASHBOARD) dashboard: PawlHandler) {
    this.#pawl = pawl;
    this.#dashboard = dashboard;
  }

  static forRoot({ dashboard, ...options }: PawlModuleOptions): DynamicModule {
    const { path, guard, identify = () => ({}) } = dashboard;
    const mount = async (pawl: Pawl, { httpAdapter }: HttpAdapterHost): Promise<PawlHandler> => {
      const mounted = await handler(pawl, { basePath: path, identify });
      // While modules are made, which is before Nest adds its body parsers.
      httpAdapter.use(path, guard);
      httpAdapter.use(path, mounted.node);
      return mounted;
    };
    return {
      module: PawlModule,
      global: true,
      providers: [
        { provide: PAWL, useFactory: () => open(options) },
        { provide: DASHBOARD, useFactory: mount, inject: [PAWL, HttpAdapterHost] },
      ],
      exports: [PAWL],
    };
  }

  /** Before the HTTP server closes: running handlers finish, live streams of the dashboard end. */
  async onModuleDestroy(): Promise<void> {
    await this.#pawl.close();
    await this.#dashboard.close();
  }
}
