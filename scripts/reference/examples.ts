// Examples of names that no guide and no example imports, a line each. A test compiles all of
// them, after `PRELUDE`.

/** What the lines use. */
export const PRELUDE = `
declare const pawl: Pawl;
declare const client: PawlClient;
declare const world: World;
declare const flow: FlowVerbs;
declare const error: unknown;
declare const id: string;
declare const codec: PayloadCodec;
declare const host: PluginHost;
declare const db: any;
const greet = defineJob('greet', {
  input: typed<{ name: string }>(),
  run: ({ input }) => input.name,
});
const ada = { name: 'Ada' };
const job = await pawl.enqueue(greet, ada);
`;

const JOBS = {
  BatchJob: 'const inputs = (jobs: readonly BatchJob<string>[]) => jobs.map(({ input }) => input);',
  BatchOptions: "const together: Pick<BatchOptions, 'max' | 'wait'> = { max: 100, wait: '1s' };",
  Compensation: 'const idOf = ({ jobId }: Compensation<unknown>) => jobId;',
  Config: "const config: Config = { database: 'data', jobs: [greet] };",
  Context:
    "type Given = keyof Context; // after declare module 'pawl' { interface Context { db: Db } }",
  DeclaredJob: 'const name = (job: DeclaredJob<Schema, Schema>) => job.type;',
  Duration: "const pause: Duration = '90s';",
  ErrorCode: "const lost: ErrorCode = 'LEASE_LOST';",
  Failed: "const failed = (one: BatchJob): Failed => one.fail(new Error('no address'));",
  InputOf: "const input: InputOf<typeof greet> = { name: 'Ada' };",
  Isolation:
    "const isolation: Isolation = { kind: 'thread', module: import.meta.url, export: 'greet' };",
  JobFacts: "const nameOf = ({ type, id }: JobFacts) => type + '/' + id;",
  JobOptions: 'type Options = JobOptions<Schema, Schema, unknown, readonly [], readonly []>;',
  JobType: 'const types: readonly JobType[] = [greet];',
  Json: 'const stored: Json<Date> = new Date().toJSON();',
  LeaseConflictError: "throw new LeaseConflictError('another process holds the file');",
  Lifecycle: 'const lifecycle: Lifecycle = lifecycles.document;',
  LifecycleDefinition: 'const define = (table: LifecycleDefinition) => defineLifecycle(table);',
  LifecycleError: 'if (error instanceof LifecycleError) console.log(error.problems);',
  None: "const tidy: JobType<None> = defineJob('tidy', { run: () => undefined });",
  ResultOf: "const result: ResultOf<typeof greet> = 'Ada';",
  fixed: 'const retry = { maxAttempts: 4, backoff: fixed(1_000) }; // of a lifecycle',
  isJobType: "if (!isJobType(error)) throw new Error('give what defineJob returned');",
  isSuspended: 'if (isSuspended(error)) throw error; // first line of a catch around a wait',
  lifecycles:
    "const letter = defineJob('letter', { lifecycle: lifecycles.document, run: () => 1 });",
} as const;

const FLOWS = {
  CallOptions: "const options: CallOptions = { delay: '5m', onFailure: 'collect' };",
  ChildOutcome: "const value = (one: ChildOutcome<string>) => (one.ok ? one.result : 'failed');",
  Children: 'const counts = (children: Children<unknown>) => children.counts;',
  ChildrenFailed: 'if (error instanceof ChildrenFailed) console.log(error.message);',
  FailedChild: 'const show = ({ key, error }: FailedChild) => console.log(key, error);',
  First: 'const winner = (first: First<{ a: Wait<string> }>) => first.value;',
  FlowVerbs: "const waitForAda = (flow: FlowVerbs) => flow.call('ada', greet, ada);",
  GraphHandles:
    'const { a } = await pawl.enqueueGraph({ a: item(greet, ada) }); // of GraphHandles',
  GraphItem: 'const one: GraphItem<{ name: string }, string> = item(greet, ada);',
  GraphOptions: "const needs: GraphOptions = { after: ['a'], onNeedFailed: 'run' };",
  OnNeedFailed: "const anyway: OnNeedFailed = 'run';",
  Spawned: "const child: Spawned<string> = await flow.spawn('ada', greet, ada);",
  TreeSnapshot: 'const tree: TreeSnapshot = await job.tree();',
  UnnamedWait: "const late: UnnamedWait<void> = flow.sleep('3d'); // only as a member of first",
  Wait: "const ready: Wait<void> = flow.sleep('pause', '5m');",
  WaitSnapshot: 'const open = (waits: readonly WaitSnapshot[]) => waits.map(({ name }) => name);',
  isChildrenFailed: 'if (isChildrenFailed(error)) console.log(error.failures);',
} as const;

const PROGRAM = {
  ArtifactSnapshot: 'const [file]: readonly ArtifactSnapshot[] = await job.artifacts();',
  DeadLetterSnapshot: 'const letters: Page<DeadLetterSnapshot> = await pawl.deadLetters.list();',
  DeadLetters: 'const deadLetters: DeadLetters = pawl.deadLetters;',
  EnqueueOptions: "const later: EnqueueOptions = { delay: '5m', key: 'order-17' };",
  FailureCause: 'const show = ({ type, count }: FailureCause) => console.log(count, type);',
  Failures: 'const failures: Failures = pawl.failures;',
  Finding: 'const findings: readonly Finding[] = await pawl.doctor();',
  FireSnapshot: "const fires: Page<FireSnapshot> = await pawl.schedules.history('nightly');",
  JobCancelled: 'if (error instanceof JobCancelled) console.log(error.id);',
  JobEventSnapshot: 'const show = (event: JobEventSnapshot) => console.log(event.type);',
  JobGone: 'if (error instanceof JobGone) console.log(error.message);',
  JobObserver:
    "const observer: JobObserver = { name: 'ends', onEvent: ({ event }) => console.log(event) };",
  JobQuery: 'const query: JobQuery = { type: greet, limit: 10 };',
  JobSnapshot: 'const snapshot: JobSnapshot = await job.snapshot();',
  JobVerbs:
    'const send = (jobs: JobVerbs) => jobs.enqueue(greet, ada); // a Pawl, a client or a world',
  ManyResults: 'const results: ManyResults = await pawl.failures.rerun({ type: greet });',
  ObservedChange: 'const show = ({ from, to }: ObservedChange) => console.log(from, to);',
  ObservedEvent: 'const seen = ({ event }: ObservedEvent) => event.type;',
  Page: 'const page: Page<JobSnapshot> = await pawl.jobs();',
  PawlWorker: 'const worker: PawlWorker = pawl.work();',
  QueueCounts: "const counts: QueueCounts = await pawl.queue('mail').counts();",
  QueueHandle: "const queue: QueueHandle = pawl.queue('mail');",
  QueueSnapshot: "const mail: QueueSnapshot = await pawl.queue('mail').snapshot();",
  ScheduleRule: "const rule: ScheduleRule = { cron: '0 3 * * *', timezone: 'Europe/Berlin' };",
  ScheduleSnapshot: 'const next = (schedule: ScheduleSnapshot) => schedule.next[0];',
  Schedules: 'const schedules: Schedules = pawl.schedules;',
  StoreError: 'if (error instanceof StoreError) console.log(error.message);',
  Transaction: 'const inside = (tx: Transaction) => pawl.enqueue(greet, ada, { tx });',
  TriedJob: 'const tried: readonly TriedJob<string>[] = await pawl.tryEnqueueMany(greet, [ada]);',
  UserLog: 'const log: UserLog = console;',
  WaitTimeout: 'if (error instanceof WaitTimeout) console.log(error.message);',
  WhySnapshot: 'const why: WhySnapshot = await job.why();',
  WorkOptions: 'const many: WorkOptions = { slots: 64 };',
  isJobCancelled: 'if (isJobCancelled(error)) console.log(error.id);',
} as const;

const CLIENT = {
  ArtifactsClient: 'const artifacts: ArtifactsClient = client.api.artifacts;',
  ConnectionOptions: "const connection: ConnectionOptions = { url: 'http://127.0.0.1:8080' };",
  FailureFilterJson: "const failed: FailureFilterJson = { type: 'greet' };",
  FollowOptions: 'const options: FollowOptions = {};',
  ItemResult: 'const isDone = ({ status }: ItemResult) => status < 300;',
  ItemResults: 'const count = ({ results }: ItemResults) => results.length;',
  JobFilter: "const filter: JobFilter = { type: 'greet' };",
  KeysClient: 'const keys: KeysClient = client.api.keys;',
  MadeKeyJson: 'const textOf = ({ key }: MadeKeyJson) => key;',
  OperationsClient: 'const operations: OperationsClient = client.api.operations;',
  Paging: 'const paging: Paging = { limit: 50 };',
  RemoteArtifacts:
    'const access = (options: RemoteArtifactsOptions) => new RemoteArtifacts(options);',
  RemoteArtifactsOptions:
    'const access = (options: RemoteArtifactsOptions) => new RemoteArtifacts(options);',
  RemoteSource: 'const claim = (source: RemoteSource) => source;',
  SchedulesClient: 'const schedules: SchedulesClient = client.api.schedules;',
  StreamItem: 'const show = (one: StreamItem) => console.log(one);',
  Upload: 'const show = (upload: Upload) => console.log(upload);',
} as const;

const OTHERS = {
  CodecError: 'if (error instanceof CodecError) console.log(error.code);',
  CodecErrorCode: "const code: CodecErrorCode = 'UNKNOWN_KEY';",
  DrizzleTransaction: 'const tx = (transaction: DrizzleTransaction) => fromDrizzle(transaction);',
  KyselyTransaction: 'const tx = (trx: KyselyTransaction) => fromKysely(trx);',
  PostgresJsTransaction: 'const tx = (sql: PostgresJsTransaction) => fromPostgresJs(sql);',
  PrismaTransaction: 'const tx = (transaction: PrismaTransaction) => fromPrisma(transaction);',
  SqlTransaction: 'const inside = (tx: SqlTransaction) => pawl.enqueue(greet, ada, { tx });',
  TypeOrmTransaction: 'const tx = (manager: TypeOrmTransaction) => fromTypeOrm(manager);',
  fromDrizzle: 'await pawl.enqueue(greet, ada, { tx: fromDrizzle(db) });',
  fromKysely: 'await pawl.enqueue(greet, ada, { tx: fromKysely(db) });',
  fromPrisma: 'await pawl.enqueue(greet, ada, { tx: fromPrisma(db) });',
  fromTypeOrm: 'await pawl.enqueue(greet, ada, { tx: fromTypeOrm(db) });',
  StubContext:
    "world.stub(greet, ({ input }: StubContext<{ name: string }>) => 'stub ' + input.name);",
  World: 'const world: World = await openWorld({ jobs: [greet] });',
  WorldClock: "await ((clock: WorldClock) => clock.advance('5s'))(world.clock);",
  WorldOptions: 'const options: WorldOptions = { jobs: [greet], seed: 7 };',
  ProjectOptions: "const options: ProjectOptions = { store: 'sqlite', dashboard: true };",
  Store: "const store: Store = 'postgres';",
  createProject: "createProject('my-app', { store: 'sqlite', dashboard: true });",
  MountedUser: "const user: MountedUser = { principal: 'ada', role: 'viewer' };",
  Role: "const role: Role = 'operator';",
  ServeOptions: 'const options: ServeOptions = { port: 8_080 };',
  OgcOptions: "const options: OgcOptions = { monitorLink: 'none' };",
  MonitorLink: "const link: MonitorLink = 'rfc8288';",
  KeyRingOptions: "const keys: KeyRingOptions = { keys: [newPayloadKey('2026')] };",
  PayloadCodec: "const codec: PayloadCodec = aesCodec({ keys: [newPayloadKey('2026')] });",
  PayloadField: "const field: PayloadField = 'input';",
  PayloadKey: "const key: PayloadKey = newPayloadKey('2026');",
  PayloadPlace: "const place: PayloadPlace = { tenant: 'default', jobId: id, field: 'input' };",
  JobSink: 'const send = (sink: JobSink) => sink.enqueue;',
  EncodedSourceOptions: 'const options = (given: EncodedSourceOptions) => given;',
  SealedMessage: 'const nameOf = (message: SealedMessage) => message.name;',
  decodeDeadLetter: 'type Letter = ReturnType<typeof decodeDeadLetter>; // readable',
  decodeEvent: 'const read = (event: JobEvent) => decodeEvent(codec, event);',
  decodeJob: 'const read = (job: Job) => decodeJob(codec, job);',
  decodeStage: 'const read = (...of: Parameters<typeof decodeStage>) => decodeStage(...of);',
  encodedArtifacts: 'type Hidden = ReturnType<typeof encodedArtifacts>;',
  encodedSink:
    'const hide = (...of: Parameters<typeof encodedSink>): JobSink => encodedSink(...of);',
  encodedSource: 'const hide = (...of: Parameters<typeof encodedSource>) => encodedSource(...of);',
  sealMessage: 'const seal = (...of: Parameters<typeof sealMessage>) => sealMessage(...of);',
  document: "const letter = defineJob('letter', { lifecycle: document, run: () => 1 });",
  ArtifactJson: 'const show = ({ name }: ArtifactJson) => name;',
  Found: 'const found = async (check: PluginCheck): Promise<Found> => check.run();',
  GUEST_CREDENTIAL: 'const isGuest = ({ id }: Credential) => id === GUEST_CREDENTIAL.id;',
  OPEN_CREDENTIAL: 'const isOpen = ({ id }: Credential) => id === OPEN_CREDENTIAL.id;',
  PAGING: 'const query = { ...PAGING };',
  PROCESS_ROLES: 'const isRole = (text: string) => PROCESS_ROLES.some((role) => role === text);',
  PluginCheck: "const check = (run: PluginCheck['run']): PluginCheck => ({ name: 'outbox', run });",
  PluginDuty:
    "const duty: PluginDuty = { name: 'tidy', everyMs: 60_000, run: async () => undefined };",
  PluginFollower:
    "const follower: PluginFollower = { name: 'mail', handle: (items) => console.log(items) };",
  PluginHttp: 'const use = (http: PluginHttp) => http;',
  PluginMetric:
    "const metric: PluginMetric = { name: 'pawl_mail_open', help: 'Open mails', read: () => 3 };",
  PluginPage: 'const pathOf = ({ path, module }: PluginPage) => path + module.href;',
  ProcessRole: "const role: ProcessRole = 'worker';",
  TypedContext: 'type Given = TypedContext<typeof Uuid, typeof Uuid, typeof Uuid>;',
  UndeclaredRecordError: 'if (error instanceof UndeclaredRecordError) console.log(error.message);',
  Uuid: 'const members = { jobId: Uuid };',
  nullable: 'const members = { jobId: nullable(Uuid) };',
  OutgoingOptions: 'const open = (options: OutgoingOptions) => createOutgoing(options);',
  createOutgoing: 'const open = (options: OutgoingOptions) => createOutgoing(options);',
  documentJob: "const types = openPawl({ database: ':memory:', jobs: [documentJob] });",
  indexJob: "const types = openPawl({ database: ':memory:', jobs: [indexJob] });",
  report: "const types = openPawl({ database: ':memory:', jobs: [report] });",
  commands: 'for (const add of commands) console.log(add.name);',
  ogc: 'const config = defineConfig({ plugins: [ogc()] });',
} as const;

/** By name: one line. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  ...JOBS,
  ...FLOWS,
  ...PROGRAM,
  ...CLIENT,
  ...OTHERS,
};
