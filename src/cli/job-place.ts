/** The one place that a whole job is taken from. An option goes before the variables of the environment. */
import { InvalidJob } from '../job/config.ts'

const OPTIONS = ['--job', '--job-url'] as const
const VARIABLES = ['STANDIN_JOB', 'STANDIN_JOB_FILE', 'STANDIN_JOB_URL'] as const

export interface JobPlace {
  from: (typeof OPTIONS)[number] | (typeof VARIABLES)[number]
  value: string
}

/** Null if options alone describe the job. Throws InvalidJob where two places are named. */
export function jobPlaceOf(
  { job, jobUrl }: { job?: string; jobUrl?: string },
  environment: Readonly<Record<string, string | undefined>>,
): JobPlace | null {
  const given: Partial<Record<JobPlace['from'], string | undefined>> = { '--job': job, '--job-url': jobUrl }
  const options = OPTIONS.flatMap((from) => placeOf(from, given[from]))
  const variables = VARIABLES.flatMap((from) => placeOf(from, environment[from] || undefined))
  const named = options.length > 0 ? options : variables
  const [first, second] = named
  if (first && second)
    throw new InvalidJob([{ path: second.from, message: `excludes ${first.from}; give one of them` }])
  return first ?? null
}

function placeOf(from: JobPlace['from'], value: string | undefined): JobPlace[] {
  return value === undefined ? [] : [{ from, value }]
}
