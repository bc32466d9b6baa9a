/** The results of `standin doctor` and `standin service doctor`, printed one by one as each check ends. */
import { styleText } from 'node:util'
import { jsonText } from './json-text.ts'

/** The result for one part of the machine or of the service. */
export interface Finding {
  part: string
  /** `unfit`: it does not work. `warning`: it does, with the drawback that `found` names. */
  verdict: 'fit' | 'warning' | 'unfit'
  /** Observed value, for people: a version, a size, or the problem. */
  found: string
  /** How to fix it; present on every part that is not fit. */
  cure?: string
}

export const fine = (part: string, found: string): Finding => ({ part, verdict: 'fit', found })

export const warning = (part: string, found: string, cure: string): Finding => ({
  part,
  verdict: 'warning',
  found,
  cure,
})

export const unfit = (part: string, found: string, cure: string): Finding => ({ part, verdict: 'unfit', found, cure })

export const installing = (...packages: string[]): string =>
  `apt-get install -y --no-install-recommends ${packages.join(' ')}`

const MARKS = { fit: ['✓', 'green'], warning: ['!', 'yellow'], unfit: ['✗', 'red'] } as const
/** Of the longest name of a part: lines are printed before the next part is known. */
const PART_WIDTH = 16
const MAX_FOUND = 400

export interface Examination {
  /** Made one after the other. */
  findings: AsyncIterable<Finding>
  output: NodeJS.WritableStream
  /** One JSON object at the end instead of lines. */
  json?: boolean | undefined
  /** The last line: of a fit one, and of an unfit one, which the names of the unfit parts follow. */
  ends: readonly [fit: string, unfit: string]
}

/** Resolves with whether every part is fit, or has a warning only. */
export async function printFindings({ findings, output, json, ends }: Examination): Promise<boolean> {
  const all: Finding[] = []
  for await (const finding of findings) {
    all.push(finding)
    if (!json) output.write(`${lineOf(finding, output)}\n`)
  }
  const unfitParts = all.filter(({ verdict }) => verdict === 'unfit').map(({ part }) => part)
  const isFit = unfitParts.length === 0
  if (json) output.write(`${jsonText({ fit: isFit, findings: all })}\n`)
  else output.write(`\n${isFit ? ends[0] : `${ends[1]}: ${unfitParts.join(', ')}.`}\n`)
  return isFit
}

function lineOf({ part, verdict, found, cure }: Finding, stream: NodeJS.WritableStream): string {
  const [mark, color] = MARKS[verdict]
  const plain = found.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
  const cut = plain.length > MAX_FOUND ? `${plain.slice(0, MAX_FOUND)}…` : plain
  const line = `${styleText(color, mark, { stream })} ${part.padEnd(PART_WIDTH)}  ${cut}`
  return cure === undefined ? line : `${line}\n  ${' '.repeat(PART_WIDTH)}  → ${cure}`
}
