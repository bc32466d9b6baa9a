/** Fields that every log line of one piece of work has, such as the id of its request. */
import { AsyncLocalStorage } from 'node:async_hooks'

const fields = new AsyncLocalStorage<object>()

/** Runs work whose log lines have the fields. */
export function withLogFields<T>(own: object, work: () => T): T {
  return fields.run(own, work)
}

/** Returns the fields of the work that runs now. */
export function logFields(): object {
  return fields.getStore() ?? {}
}
