/** Does the work for all items, some at a time. */
export async function each<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: Math.min(concurrency, items.length) }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}
