/** Fields 4 to 22 of proc(5): parent, then times at 14 to 17, start at 22. */
export function statLine(
  pid: number,
  name: string,
  parent: number,
  times: [number, number, number, number],
  start = 900,
): string {
  return `${pid} (${name}) S ${parent} 1 1 0 -1 4194560 1 2 3 4 ${times.join(' ')} 20 0 1 0 ${start} 123456 789 18446744073709551615\n`
}
