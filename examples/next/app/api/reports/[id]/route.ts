import { openJobs } from '../../../pawl.ts';
import { problem } from '../../../problem.ts';

interface Context {
  readonly params: Promise<{ id: string }>;
}

/** GET /api/reports/{id}: how it stands, and what came of it. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  try {
    const pawl = await openJobs();
    const { id } = await params;
    const { state, result } = await pawl.engine.job({ tenant: 'default', id });
    return Response.json({
      state,
      result: result === null ? null : (JSON.parse(result) as unknown),
    });
  } catch (error) {
    return problem(error);
  }
}
