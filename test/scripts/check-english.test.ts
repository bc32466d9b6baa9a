import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../core/process/page-scripts.ts'
import { violationsOf } from '../../scripts/check-english.ts'
import { IDENTIFIER_RULES, NAME_RULES, NEW_NAMES, SUMMARY_RULES, TEXT_RULES } from '../../scripts/english/rules.ts'

const rulesOf = (file: string, text: string) => violationsOf(file, text).map(({ rule }) => rule)

describe.each(TEXT_RULES)('the rule $id', ({ id, example }) => {
  test('is broken in a comment', () => expect(rulesOf('src/a.ts', `/** ${example} */\nconst a = 1`)).toContain(id))
  test('is broken in Markdown', () => expect(rulesOf('docs/a.md', `# A page\n\n${example}\n`)).toContain(id))
  test('is broken in a message', () =>
    expect(rulesOf('src/a.ts', `logger.warn(\`\${name}: ${example}\`)\nthrow new Error('${example}')`)).toContain(id))
  test('is broken in the name of a test', () =>
    expect(rulesOf('test/a.test.ts', `test('${example}', () => {})`)).toContain(id))
  test('is broken in a shell script', () => expect(rulesOf('scripts/a.sh', `#!/bin/sh\n# ${example}\n`)).toContain(id))
})

test.each(NAME_RULES)('the rule $id is broken by a function, a method and a property', ({ id, example }) => {
  expect(rulesOf('src/a.ts', example)).toContain(id)
  const name = /function (\w+)/.exec(example)?.[1]
  expect(rulesOf('src/a.ts', `class A {\n  async ${name}(event: Event): void {}\n}`)).toContain(id)
  expect(rulesOf('src/a.ts', `interface A {\n  ${name}(event: Event): void\n}`)).toContain(id)
  expect(rulesOf('src/a.ts', `const parts = {\n  ${name}: () => {},\n}`)).toContain(id)
})

test.each(IDENTIFIER_RULES)(
  'the rule $id is broken by a local, a parameter and a private field, once in a file',
  ({ id, example }) => {
    expect(rulesOf('src/a.ts', `const ${example} = 1\nuse(${example})`)).toEqual([id])
    expect(rulesOf('src/a.ts', `call((${example}) => ${example})`)).toEqual([id])
    expect(rulesOf('src/a.ts', `class A {\n  readonly #${example} = 1\n}`).length).toBeLessThanOrEqual(1)
    expect(rulesOf('src/a.ts', `const text = '${example}'`)).toEqual([])
  },
)

test('identifiers of others are judged in files of ours only', () => {
  expect(rulesOf('platforms/jitsi/page/store.ts', 'const { knocking } = lobby')).toEqual([])
  expect(rulesOf('src/a.ts', 'const { knocking } = lobby')).toEqual(['private-word'])
  expect(rulesOf('src/a.ts', 'const backdoor = understage(desktop)')).toEqual([])
})

test.each(SUMMARY_RULES)('the rule $id is broken above an exported function, and not elsewhere', ({ id, example }) => {
  expect(rulesOf('src/a.ts', `/** ${example} */\nexport function a() {}`)).toEqual([id])
  expect(rulesOf('src/a.ts', `/** ${example} */\nexport async function a() {}`)).toEqual([id])
  expect(rulesOf('src/a.ts', `/** ${example} */\nexport const a = 1`)).toEqual([])
  expect(rulesOf('src/a.ts', `/** Converts. ${example} */\nexport function a() {}`)).toEqual([])
})

test('SQL that sets a column to null is no sentence', () => {
  expect(rulesOf('src/a.ts', 'sql`update bots set token = null where id = 1`')).toEqual([])
})

test('a call of a function of that name is reported once, where the function is declared', () => {
  expect(rulesOf('src/a.ts', 'sink.take(chunk)\nqueue\n  .take(1)')).toEqual([])
})

test.each([...NEW_NAMES].filter(([name]) => name !== name.toLowerCase()))('the name %s has become %s', (name) => {
  expect(rulesOf('src/a.ts', `export class ${name} {}`)).toContain('old-name')
})

test('a file with an old name is reported, and so are its tests', () => {
  expect(rulesOf('src/life/attendance.ts', '')).toEqual(['file-name'])
  expect(rulesOf('test/src/life/attendance.test.ts', '')).toEqual(['file-name'])
})

test('quotations, code and data of tests are not judged', () => {
  expect(rulesOf('src/a.ts', '// The page says "Nobody is here", as `nobody` does.')).toEqual([])
  expect(rulesOf('docs/a.md', '```sh\nnobody\n```\n')).toEqual([])
  expect(rulesOf('test/a.test.ts', "const said = 'nobody knows what goes on here'")).toEqual([])
})

test.each(['test.skipIf(!hasImage)', 'test.runIf(hasImage)', 'describe.skipIf(!hasImage)', 'it'])(
  'the names of tests are judged when the file calls %s by another name',
  (original) => {
    const code = `const ifImage = ${original}\nifImage('nobody retries', () => {})\nlog('nobody retries')`
    expect(violationsOf('test/a.test.ts', code)).toMatchObject([{ line: 2, rule: 'indefinite-person' }])
  },
)

test.each([
  'mock/shared/demo.ts',
  'mock/microsoft-teams/page/style.ts',
  'control-plane/store/migrations/0100-tables/bots.ts',
])('in %s comments and names are judged, and strings are not', (file) => {
  const strings = "say('ann', 'Can anybody read this?')\nconst TEXT = `\n-- The provider is told to delete them.`"
  expect(rulesOf(file, strings)).toEqual([])
  expect(rulesOf(file, `// Nobody retries.\n${strings}\nfunction take() {}`)).toEqual([
    'indefinite-person',
    'vague-verb',
  ])
})

test('strings of other mocks are judged', () => {
  expect(rulesOf('mock/zoom/scenarios.ts', "say('ann', 'Can anybody read this?')")).toEqual(['indefinite-person'])
})

test('a violation has its file, its line, the word and better ones', () => {
  expect(violationsOf('src/a.ts', '\n\n// A bot stops.\n// Nobody retries.')[0]).toMatchObject({
    file: 'src/a.ts',
    line: 3,
    found: expect.stringContaining('Nobody'),
    say: expect.stringContaining('participant'),
  })
})

test('it is part of the check and of every test run', () => {
  const { scripts } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  expect(scripts.check).toContain('scripts/test.sh --check')
  const run = readFileSync(join(packageRoot, 'scripts/test.sh'), 'utf8')
  expect(run).toMatch(/^checks='.*\benglish\b.*'$/m)
  expect(run).toMatch(/^ +english\) echo node scripts\/check-english\.ts ;;$/m)
})
