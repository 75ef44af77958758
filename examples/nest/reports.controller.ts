import { Body, Controller, Get, Headers, HttpCode, Param, Post } from '@nestjs/common';
import type { Pawl } from 'pawl';
import { InjectPawl } from './pawl.module.js';
import { report } from './report.js';

@Controller('reports')
export class ReportsController {
  readonly #pawl: Pawl;

  constructor(@InjectPawl() pawl: Pawl) {
    this.#pawl = pawl;
  }

  @Post()
  @HttpCode(202)
  async create(@Body() body: { year: number }, @Headers('idempotency-key') key?: string) {
    const { id } = await this.#pawl.enqueue(report, body, key === undefined ? {} : { key });
    return { id };
  }

  @Get(':id')
  async read(@Param('id') id: string) {
    const { state, result } = await this.#pawl.job(report, id).snapshot();
    return { state, result };
  }
}
