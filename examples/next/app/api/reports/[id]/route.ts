import { openJobs, report } from '../../../pawl.ts';
import { problem } from '../../../problem.ts';

interface Context {
  readonly params: Promise<{ id: string }>;
}

/** GET /api/reports/{id}: how it stands, and what came of it. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  try {
    const pawl = await openJobs();
    const { id } = await params;
    const { state, result = null } = await pawl.job(report, id).snapshot();
    return Response.json({ state, result });
  } catch (error) {
    return problem(error);
  }
}
