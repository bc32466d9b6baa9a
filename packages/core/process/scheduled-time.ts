/**
 * Times of a process or a thread by the kernel's scheduler (`schedstat`: nanoseconds run, nanoseconds waited, time slices;
 * the kernel's Documentation/scheduler/sched-stats). They distinguish a busy machine from a program that does nothing.
 */
import { readdir, readFile } from 'node:fs/promises'

/** Milliseconds since its start. */
export interface ScheduledTime {
  ran: number
  /** Ready to run, while other work used the processors. */
  waited: number
}

/** Reads those of a thread by its folder, such as `/proc/12/task/14`, or of a main thread (`/proc/12`); null if none are known. */
export async function scheduledTime(folder: string): Promise<ScheduledTime | null> {
  const text = await readFile(`${folder}/schedstat`, 'utf8').catch(() => '')
  const [ran = Number.NaN, waited = Number.NaN] = text.split(' ').map(Number)
  return Number.isFinite(ran + waited) && text !== '' ? { ran: ran / 1e6, waited: waited / 1e6 } : null
}

/** A process whose threads together run or wait for a processor for less of the time does nothing. */
export const WORKING_SHARE = 0.25

/** Adds up the milliseconds that the living threads of a process ran or waited for a processor; 0 if they are not known. */
export async function activeMs(processId: number): Promise<number> {
  const tasks = `/proc/${processId}/task`
  const threads = await readdir(tasks).catch(() => [])
  const times = await Promise.all(threads.map((thread) => scheduledTime(`${tasks}/${thread}`)))
  return times.reduce((sum, time) => sum + (time?.ran ?? 0) + (time?.waited ?? 0), 0)
}
