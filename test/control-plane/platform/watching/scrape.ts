/** Reads `/metrics` as a scraper does. */

export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

const LINE = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/
const LABEL = /(?<name>\w+)="(?<value>(?:[^"\\]|\\.)*)"/g

export function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const { name, labels = '', value } = LINE.exec(line)?.groups ?? {}
      if (name === undefined) throw new Error(`This is no sample: ${line}`)
      const pairs = [...labels.matchAll(LABEL)].map(({ groups }) => [groups!.name!, groups!.value!])
      return { name, labels: Object.fromEntries(pairs), value: Number(value) }
    })
}

/** The sum of the samples of this name that have these labels; undefined if there is none. */
export function valueIn(
  samples: readonly Sample[],
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}

export interface Scraped {
  metrics(): Promise<string>
}

export async function readValue(
  registry: Scraped,
  name: string,
  labels: Record<string, string> = {},
): Promise<number | undefined> {
  return valueIn(samplesOf(await registry.metrics()), name, labels)
}
