interface Shared {
  /** Who a share is given to first. */
  readonly tenant: string | number;
}

/**
 * How a claim goes over lanes, which come in the order of their first jobs. Tenants take turns at
 * being the first: their order is turned on by `turn`. Each tenant has an equal share of what is
 * still wanted (divided by the tenants not yet visited, rounded up), and of that each of its lanes;
 * a second round takes the rest in the same order. `take` says how many it got.
 */
export function shareOut<Lane extends Shared>(
  lanes: readonly Lane[],
  { max, turn }: { readonly max: number; readonly turn: number },
  take: (lane: Lane, count: number) => number,
): void {
  const tenants = [...Map.groupBy(lanes, ({ tenant }) => tenant).values()];
  const start = tenants.length === 0 ? 0 : turn % tenants.length;
  const order = [...tenants.slice(start), ...tenants.slice(0, start)];
  let left = max;
  const takeUpTo = (lane: Lane, count: number): number => {
    const got = count <= 0 ? 0 : take(lane, count);
    left -= got;
    return got;
  };
  order.forEach((own, index) => {
    let share = Math.ceil(left / (order.length - index));
    own.forEach((lane, n) => (share -= takeUpTo(lane, Math.ceil(share / (own.length - n)))));
  });
  for (const lane of order.flat()) takeUpTo(lane, left);
}
