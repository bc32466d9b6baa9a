/** Which known word a mistyped one probably means. */

/** Null if none of `known` is near: a change for every eight characters is allowed, at least one. */
export function nearestOf(word: string, known: readonly string[]): string | null {
  const near = known
    .map((candidate) => ({ candidate, changes: changesBetween(word, candidate) }))
    .filter(({ candidate, changes }) => changes <= Math.max(1, Math.floor(candidate.length / 8)))
  return near.sort((a, b) => a.changes - b.changes)[0]?.candidate ?? null
}

/** Characters that have to be added, removed, replaced, or swapped with the next one (Damerau and Levenshtein). */
function changesBetween(from: string, to: string): number {
  let before: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const isSwapped = letter === to[column - 1] && from[row - 1] === other
      current.push(
        Math.min(
          previous[column]! + (letter === other ? 0 : 1),
          previous[column + 1]! + 1,
          current[column]! + 1,
          isSwapped ? before[column - 1]! + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = previous
    previous = current
  }
  return previous[to.length]!
}
