import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PawlModule } from './pawl.module.js';
import { report } from './report.js';
import { ReportsController } from './reports.controller.js';

// Stands for the access control that your application already has.
const credentials = Buffer.from(`admin:${process.env['ADMIN_PASSWORD'] ?? 'change me'}`);
const expected = `Basic ${credentials.toString('base64')}`;

@Module({
  imports: [
    PawlModule.forRoot({
      database: process.env['DATABASE'] ?? ':memory:',
      jobs: [report],
      dashboard: {
        path: '/admin/jobs',
        guard: (request, response, next) => {
          if (request.headers.authorization === expected) return next();
          response.status(401).set('www-authenticate', 'Basic realm="jobs"').end();
        },
      },
    }),
  ],
  controllers: [ReportsController],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
app.enableShutdownHooks();
await app.listen(Number(process.env['PORT'] ?? 3_000), '127.0.0.1');
console.log(await app.getUrl());
