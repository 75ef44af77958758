import { entryOf } from '../auth/manage-keys.ts';
import { etagOf, IfMatch, preconditionOf } from 'pawl/internal/contract/if-match';
import { accessTag } from 'pawl/internal/records/job-shares';
import { JobParams } from 'pawl/internal/contract/job';
import { AccessBody, AccessSchema } from 'pawl/internal/contract/job-access';
import { type App, credentialOf, refOf, type Resource, routes, type Services } from './services.ts';

function readAccess(app: App, { engine }: Services): void {
  app.get(
    '/v1/jobs/:id/access',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'readJobAccess',
        summary: 'Who may see a job',
        description:
          'Beside its owner and the groups here, everybody whose role shows the whole tenant.',
        params: JobParams,
        response: { 200: AccessSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const ref = refOf(request, request.params.id);
      const { requestedBy } = await engine.job(ref);
      const groups = [...(await engine.sharedWith(ref))];
      return reply.headers(etagOf(accessTag(groups))).send({ owner: requestedBy, groups });
    },
  );
}

function putAccess(app: App, { engine }: Services): void {
  app.put(
    '/v1/jobs/:id/access',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'putJobAccess',
        summary: 'Share a job with groups',
        description:
          'Replaces the access list: members of these groups may read the job, its events, ' +
          'result and artifacts, here and as an OGC process. None of them can cancel or share it.',
        params: JobParams,
        headers: IfMatch,
        body: AccessBody,
        response: { 200: AccessSchema },
        errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
      },
    },
    async (request, reply) => {
      const ref = refOf(request, request.params.id);
      const { requestedBy } = await engine.job(ref);
      const { groups } = request.body;
      await engine.share(ref, groups, preconditionOf(request.headers));
      const did = { action: 'job.shared', subject: ref.id, details: { groups } };
      await engine.audit.add([entryOf(engine, credentialOf(request), did)]);
      const shared = [...(await engine.sharedWith(ref))];
      return reply.headers(etagOf(accessTag(shared))).send({ owner: requestedBy, groups: shared });
    },
  );
}

/** `/v1/jobs/{id}/access`: with whom a job is shared. */
export const jobAccess: Resource = routes(readAccess, putAccess);
