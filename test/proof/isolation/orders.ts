// Every order in which the steps of several sessions can be taken.

/** Each session takes so many steps; its own are in order. */
export function ordersOf(sessions: number, steps: number): number[][] {
  const orders: number[][] = [];
  const left = Array.from({ length: sessions }, () => steps);
  const order: number[] = [];
  const choose = (): void => {
    if (order.length === sessions * steps) orders.push([...order]);
    for (let index = 0; index < sessions; index++) {
      if (left[index] === 0) continue;
      left[index]! -= 1;
      order.push(index);
      choose();
      order.pop();
      left[index]! += 1;
    }
  };
  choose();
  return orders;
}

/** Groups of so many of these, each name as often as it may race with itself. */
export function groupsOf(names: readonly string[], size: number): string[][] {
  if (size === 0) return [[]];
  return names.flatMap((name, index) =>
    groupsOf(names.slice(index), size - 1).map((rest) => [name, ...rest]),
  );
}
