/**
 * What the kernel's scheduler says about a process or a thread (`schedstat`: nanoseconds run, nanoseconds waited, time
 * slices; proc(5), Documentation/scheduler/sched-stats). It tells a busy machine from a program that stands still.
 */
import { readdir, readFile } from 'node:fs/promises'

/** Milliseconds since its start. */
export interface ScheduledTime {
  ran: number
  /** Ready to run, while other work used the processors. */
  waited: number
}

/** Of the thread with this folder, such as `/proc/12/task/14`, or of the main thread of a process; null if it is gone or the kernel does not say. */
export async function scheduledTime(folder: string): Promise<ScheduledTime | null> {
  const text = await readFile(`${folder}/schedstat`, 'utf8').catch(() => '')
  const [ran = Number.NaN, waited = Number.NaN] = text.split(' ').map(Number)
  return Number.isFinite(ran + waited) && text !== '' ? { ran: ran / 1e6, waited: waited / 1e6 } : null
}

/** Milliseconds that the living threads of a process ran or waited for a processor, added up; 0 if they are not known. */
export async function activeMs(processId: number): Promise<number> {
  const tasks = `/proc/${processId}/task`
  const threads = await readdir(tasks).catch(() => [])
  const times = await Promise.all(threads.map((thread) => scheduledTime(`${tasks}/${thread}`)))
  return times.reduce((sum, time) => sum + (time?.ran ?? 0) + (time?.waited ?? 0), 0)
}
