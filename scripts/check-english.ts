/**
 * Checks that comments, messages, names of tests, names and Markdown are in plain English: `node scripts/check-english.ts`.
 * Paths as arguments limit it to what is below them.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readText } from './english/read-text.ts'
import {
  IDENTIFIER_RULES,
  IDENTIFIERS_OF_OTHERS,
  kebab,
  NAME_RULES,
  NEW_NAMES,
  SUMMARY_RULES,
  TEXT_RULES,
} from './english/rules.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Files whose words are not ours, or not prose. `only: 'strings'` still judges their comments and names. */
const NOT_JUDGED: readonly { path: RegExp; only?: 'strings'; why: string }[] = [
  { path: /^docs\/errors\.md$/, why: 'made from the table of errors' },
  { path: /^docs\/schemas\//, why: 'made from the wire' },
  { path: /^scripts\/english\/|^(test\/)?scripts\/check-english/, why: 'names the words that it rejects' },
  { path: /^bench\/notes\//, why: 'dated notes are never edited' },
  { path: /^mock\/media\/voices|spoken-script|read-along/, why: 'sentences that the mock participants speak' },
  {
    path: /^mock\/shared\/demo\.ts$/,
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
    if (kind === 'identifier') {
      if (IDENTIFIERS_OF_OTHERS.get(words)?.test(file)) continue
      for (const { id, pattern, say } of IDENTIFIER_RULES)
        if (pattern.test(words)) found.push({ ...where, rule: id, found: words, say })
      continue
    }
    if (kind !== 'name') {
      for (const { id, pattern, say } of kind === 'summary' ? SUMMARY_RULES : TEXT_RULES) {
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

function main(paths: readonly string[]): void {
  const files = filesOfProject().filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
  const violations = files.flatMap((file) => violationsOf(file, readFileSync(join(root, file), 'utf8')))
  if (violations.length === 0) {
    console.log('English: no violations.')
    return
  }
  console.error(`${violations.map(lineOf).join('\n')}\nThe English check found ${violations.length} violations.`)
  process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2))
