import { openJobs, report } from '../../pawl.ts';
import { problem } from '../../problem.ts';

/** POST /api/reports: answered at once, the report is made after it. */
export async function POST(request: Request): Promise<Response> {
  try {
    const pawl = await openJobs();
    const key = request.headers.get('idempotency-key');
    const input = (await request.json()) as { year: number };
    const job = await pawl.enqueue(report, input, key === null ? {} : { key });
    const headers = { location: `/api/reports/${job.id}` };
    return Response.json({ id: job.id }, { status: 202, headers });
  } catch (error) {
    return problem(error);
  }
}
