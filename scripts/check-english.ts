/**
 * Checks that comments, messages, names of tests, names and Markdown are in plain English: `node scripts/check-english.ts`.
 *
 *   --all [path…]   prints every violation below these paths, those of unfinished rooms too
 *   --lower         writes the counts of today into english/unfinished.json, where they are lower
 *
 * A room that english/unfinished.json does not name has no violation. A room in it has at most so many.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readText } from './english/read-text.ts'
import { kebab, NAME_RULES, NEW_NAMES, TEXT_RULES } from './english/rules.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const UNFINISHED = join(root, 'scripts/english/unfinished.json')

/** Files whose words are not ours, or not prose. `only: 'strings'` still judges their comments and names. */
const NOT_JUDGED: readonly { path: RegExp; only?: 'strings'; why: string }[] = [
  { path: /^docs\/errors\.md$/, why: 'made from the table of errors' },
  { path: /^docs\/schemas\//, why: 'made from the wire' },
  { path: /^scripts\/english\/|^(test\/)?scripts\/check-english/, why: 'names the words that it rejects' },
  { path: /^bench\/notes\//, why: 'dated notes are never edited' },
  { path: /^mock\/media\/voices|spoken-script|read-along/, why: 'sentences that the mock participants speak' },
  {
    path: /^mock\/(jitsi\/scenarios-call|shared\/demo)\.ts$/,
    only: 'strings',
    why: 'chat messages that the mock participants write',
  },
  { path: /^mock\/microsoft-teams\/page\/style\.ts$/, only: 'strings', why: 'CSS with the class names of the page' },
  { path: /^control-plane\/store\/migrations\/\d/, only: 'strings', why: 'SQL of a released migration never changes' },
]

export interface Violation {
  file: string
  line: number
  rule: string
  /** The word or the sentence that is rejected. */
  found: string
  say: string
}

/** Every violation of one file. */
export function violationsOf(file: string, text: string): Violation[] {
  const name = basename(file).replace(/(\.(test|browser|system|measured|long|entry|d))*\.\w+$/, '')
  const term = NEW_NAMES.get(name)
  const found: Violation[] = term === undefined ? [] : [{ file, line: 1, rule: 'file-name', found: name, say: term }]
  const isWithoutStrings = NOT_JUDGED.some(({ path, only }) => only === 'strings' && path.test(file))
  for (const { line, kind, text: words } of readText(file, text)) {
    const where = { file, line }
    if (kind === 'string' && isWithoutStrings) continue
    if (kind !== 'name') {
      for (const { id, pattern, say } of TEXT_RULES) {
        const match = pattern.exec(words)
        if (match) found.push({ ...where, rule: id, found: shortened(match[0], words), say })
      }
      continue
    }
    const better = NEW_NAMES.get(words.replace(/^#|\(\)$/g, ''))
    if (better !== undefined && words !== kebab(words))
      found.push({ ...where, rule: 'old-name', found: words, say: better })
    for (const { id, pattern, say } of NAME_RULES)
      if (pattern.test(words)) found.push({ ...where, rule: id, found: words, say })
  }
  return found
}

function shortened(match: string, sentence: string): string {
  const at = sentence.indexOf(match)
  const words = match.length > 40 ? `${match.slice(0, 40)}…` : match
  const context = sentence.slice(Math.max(0, at - 30), at + 60)
  return `${words.trim()}: … ${context} …`
}

/** The room of a file: the longest prefix that is named, or the first folder. */
function roomOf(file: string, named: readonly string[]): string {
  const matching = named.filter((room) => file === room || file.startsWith(`${room}/`))
  return matching.sort((a, b) => b.length - a.length)[0] ?? file.split('/')[0]!
}

/** What a run says, and whether it passes. `unfinished` has the violations that each room may still have. */
export function judge(
  violations: readonly Violation[],
  unfinished: Readonly<Record<string, number>>,
): { counts: Record<string, number>; problems: string[] } {
  const rooms = Map.groupBy(violations, ({ file }) => roomOf(file, Object.keys(unfinished)))
  const counts = Object.fromEntries([...rooms].map(([room, found]) => [room, found.length]))
  const problems = [...rooms].flatMap(([room, found]) => {
    const allowed = unfinished[room] ?? 0
    if (found.length <= allowed) return []
    const head = `${room}: ${found.length} violations, ${allowed} allowed`
    return allowed === 0
      ? [head, ...found.map(lineOf)]
      : [`${head}. See them all: node scripts/check-english.ts --all ${room}`]
  })
  return { counts, problems }
}

const lineOf = ({ file, line, rule, found, say }: Violation) => `${file}:${line}: ${rule}: ${found}\n    say: ${say}`

/** Files in git and new ones that git does not ignore. */
function filesOfProject(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
    cwd: root,
    encoding: 'utf8',
  })
  const gone = execFileSync('git', ['ls-files', '--deleted'], { cwd: root, encoding: 'utf8' }).split('\n')
  return listed
    .split('\n')
    .filter((file) => /\.(ts|tsx|mjs|md|sh|yaml|yml)$|Dockerfile$|^bin\//.test(file))
    .filter(
      (file) => !gone.includes(file) && !NOT_JUDGED.some(({ path, only }) => only === undefined && path.test(file)),
    )
}

/** The counts that may be written: none is higher than before, and finished rooms are left out. */
export function lowered(
  counts: Readonly<Record<string, number>>,
  unfinished: Readonly<Record<string, number>>,
): Record<string, number> {
  const rows = Object.entries(unfinished).map(
    ([room, allowed]) => [room, Math.min(allowed, counts[room] ?? 0)] as const,
  )
  return Object.fromEntries(rows.filter(([, allowed]) => allowed > 0))
}

function main(options: readonly string[]): void {
  const unfinished = JSON.parse(readFileSync(UNFINISHED, 'utf8')) as Record<string, number>
  const violations = filesOfProject().flatMap((file) => violationsOf(file, readFileSync(join(root, file), 'utf8')))
  if (options[0] === '--all') {
    const paths = options.slice(1)
    const chosen = violations.filter(({ file }) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
    console.log(chosen.map(lineOf).join('\n'))
    console.log(`${chosen.length} violations`)
    return
  }
  const { counts, problems } = judge(violations, unfinished)
  if (options[0] === '--lower') writeFileSync(UNFINISHED, `${JSON.stringify(lowered(counts, unfinished), null, 2)}\n`)
  const left = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (problems.length > 0) {
    console.error(`The English check found new violations:\n${problems.join('\n')}`)
    process.exitCode = 1
  } else console.log(`English: ${left} violations are left in unfinished rooms, and no new ones.`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2))
