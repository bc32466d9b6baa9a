/** Each lane of a run calls its set-up in one process. True for the first that asks for `part`. */
export function isFirst(part: string): boolean {
  const variable = `STANDIN_TEST_HAS_${part}`
  if (process.env[variable] === String(process.pid)) return false
  process.env[variable] = String(process.pid)
  return true
}
