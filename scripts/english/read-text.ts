/** Finds the sentences and names of a file that the English check judges. */
import jsTokens from 'js-tokens'

export interface Found {
  line: number
  /**
   * A `string` is a sentence in a string of code: a message, the name of a test, or data. A `name` is an identifier
   * at its declaration; an `identifier` is each identifier of a file once, locals and parameters too. A `summary` is
   * the first sentence of the comment above an exported function.
   */
  kind: 'sentence' | 'string' | 'name' | 'identifier' | 'summary'
  text: string
}

const TEST_NAME = new Set(['test', 'it', 'describe', 'only', 'skip', 'fails', 'todo', 'skipIf', 'runIf', 'sequential'])
const RUNNER = new Set(['test', 'it', 'describe'])
/** A string of fewer words is a value and not a message. */
const MESSAGE_WORDS = 4

export function readText(file: string, text: string): Found[] {
  if (/\.(ts|tsx|mjs)$/.test(file)) return readCode(text, file.startsWith('test/') || file.startsWith('test\\'))
  if (file.endsWith('.md')) return readMarkdown(text)
  return readHashComments(text)
}

/** Quotations and code are somebody else's words. */
function withoutQuotations(text: string): string {
  return text
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/"[^"]*"|“[^”]*”/g, 'QUOTE')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/https?:\S+/g, 'ADDRESS')
}

function sentencesOf(text: string, line: number): Found[] {
  const plain = withoutQuotations(text).replace(/\s+/g, ' ')
  return plain
    .split(/(?<=[.!?:;])\s+(?=[A-Z"(])|(?<=\.\))\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[a-z]/.test(sentence))
    .map((sentence) => ({ line, kind: 'sentence', text: sentence }))
}

interface Token {
  type: string
  value: string
  line: number
}

function tokensOf(text: string): Token[] {
  let line = 1
  const tokens: Token[] = []
  for (const { type, value } of jsTokens(text)) {
    tokens.push({ type, value, line })
    line += value.split('\n').length - 1
  }
  return tokens
}

function readCode(text: string, isTest: boolean): Found[] {
  const tokens = tokensOf(text)
  const code = tokens.filter(({ type }) => !/WhiteSpace|LineTerminator|Comment/.test(type))
  return [
    ...readComments(tokens),
    ...readSummaries(tokens),
    ...readStrings(code, isTest),
    ...readNames(code),
    ...readIdentifiers(code),
  ].sort((a, b) => a.line - b.line)
}

/** First sentences of the comments above exported functions. */
function readSummaries(tokens: readonly Token[]): Found[] {
  const meaningful = tokens.filter(({ type }) => !/WhiteSpace|LineTerminator/.test(type))
  return meaningful.flatMap(({ type, value, line }, index) => {
    if (type !== 'MultiLineComment' || meaningful[index + 1]?.value !== 'export') return []
    const next = meaningful.slice(index + 2, index + 4).map((token) => token.value)
    if (!next.includes('function')) return []
    const words = value.replace(/^\/\*+|\*\/$/g, '').replace(/\n\s*\*+/g, ' ')
    return sentencesOf(words, line)
      .slice(0, 1)
      .map((found) => ({ ...found, kind: 'summary' as const }))
  })
}

/** Every identifier once for each file, at its first use. */
function readIdentifiers(code: readonly Token[]): Found[] {
  const seen = new Map<string, number>()
  for (const { type, value, line } of code) if (/Identifier/.test(type) && !seen.has(value)) seen.set(value, line)
  return [...seen].map(([text, line]) => ({ line, kind: 'identifier', text }))
}

/** Comment lines that follow each other are one text. */
function readComments(tokens: readonly Token[]): Found[] {
  const texts: { line: number; text: string }[] = []
  let last = { line: -1, isLine: false }
  for (const { type, value, line } of tokens) {
    if (type === 'SingleLineComment') {
      const words = value.slice(2)
      if (/biome-ignore|@ts-|^\/ </.test(words)) continue
      if (last.isLine && last.line === line - 1) texts.at(-1)!.text += ` ${words}`
      else texts.push({ line, text: words })
      last = { line, isLine: true }
    } else if (type === 'MultiLineComment') {
      texts.push({ line, text: value.replace(/^\/\*+|\*\/$/g, '').replace(/\n\s*\*+/g, '\n') })
      last = { line: -1, isLine: false }
    }
  }
  return texts.flatMap(({ line, text }) =>
    text.split(/\n\s*\n|\n\s*(?=[-*] )/).flatMap((part) => sentencesOf(part, line)),
  )
}

/** In tests only the names of tests are prose of ours; other strings there are data. */
function readStrings(code: readonly Token[], isTest: boolean): Found[] {
  const testNames = testNamesOf(code)
  return code.flatMap(({ type, value, line }, index) => {
    if (!/^(StringLiteral|NoSubstitutionTemplate|Template(Head|Middle|Tail))$/.test(type)) return []
    const before = code[index - 1]?.value ?? ''
    const callee = code[index - 2]?.value ?? ''
    if (before === 'from' || before === 'import') return []
    if (isTest && !(before === '(' && (testNames.has(callee) || callee === ')'))) return []
    const words = value
      .replace(/^['"`}]|(['"`]|\$\{)$/g, '')
      .replace(/\\(['"`n])/g, (_, escaped) => (escaped === 'n' ? ' ' : escaped))
    if (words.split(/\s+/).length < MESSAGE_WORDS && !isTest) return []
    return words.split('\n').flatMap((part) => sentencesOf(part, line).map((found) => ({ ...found, kind: 'string' })))
  })
}

/** Names that the file gives to functions of the test runner: `const ifImage = test.skipIf(!hasImage)`. */
function testNamesOf(code: readonly Token[]): ReadonlySet<string> {
  const renamed = code.flatMap(({ value }, index) => {
    const [name, equals, original] = code.slice(index + 1, index + 4)
    const isRenamed = value === 'const' && equals?.value === '=' && RUNNER.has(original?.value ?? '')
    return isRenamed ? [name!.value] : []
  })
  return new Set([...TEST_NAME, ...renamed])
}

const DECLARES = new Set(['function', 'const', 'let', 'class', 'interface', 'type', 'get', 'set', 'async', '*'])
const BEGINS = new Set(['{', '}', ';', ',', '(', ')', ']', 'readonly', 'private', 'static', 'abstract', 'override'])

/**
 * Identifiers where they are declared, so that each counts once: variables, types and properties; functions and methods
 * with parentheses.
 */
function readNames(code: readonly Token[]): Found[] {
  const found: Found[] = []
  for (const [index, { type, value, line }] of code.entries()) {
    if (type !== 'IdentifierName' && type !== 'PrivateIdentifier') continue
    const before = code[index - 1]
    const after = code[index + 1]?.value ?? ''
    const isDeclared = DECLARES.has(before?.value ?? '')
    const startsLine = before === undefined || before.line < line || BEGINS.has(before.value)
    const isMember = startsLine && (after === ':' || (after === '(' && opensBody(code, index + 1)))
    if (isDeclared || isMember) found.push({ line, kind: 'name', text: after === '(' ? `${value}()` : value })
  }
  return found
}

/** Whether the parenthesis at `open` is that of a method: a body or a type follows it, or a line without an operator. */
function opensBody(code: readonly Token[], open: number): boolean {
  let depth = 0
  for (let index = open; index < code.length; index++) {
    if (code[index]!.value === '(') depth += 1
    if (code[index]!.value === ')') depth -= 1
    if (depth > 0) continue
    return code[index + 1]?.value === '{' || code[index + 1]?.value === ':'
  }
  return false
}

function readMarkdown(text: string): Found[] {
  const found: Found[] = []
  let isCode = false
  let paragraph: string[] = []
  let start = 1
  const flush = () => {
    found.push(...sentencesOf(paragraph.join(' '), start))
    paragraph = []
  }
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) {
      flush()
      isCode = !isCode
    } else if (isCode) continue
    else if (line.startsWith('|')) {
      flush()
      for (const cell of line.replace(/`[^`]*`/g, 'CODE').split('|')) found.push(...sentencesOf(cell, index + 1))
    } else if (/^\s*$|^#|^\s*([-*]|\d+\.) /.test(line)) {
      flush()
      start = index + 1
      paragraph.push(line.replace(/^\s*([-*#]+|\d+\.) /, ''))
      if (line.startsWith('#')) flush()
    } else {
      if (paragraph.join('').trim() === '') start = index + 1
      paragraph.push(line)
    }
  }
  flush()
  return found
}

/** Shell scripts, Dockerfiles, YAML: comments only. */
function readHashComments(text: string): Found[] {
  const found: Found[] = []
  let block: string[] = []
  let start = 1
  const lines = [...text.split('\n'), '']
  for (const [index, line] of lines.entries()) {
    const words = /^\s*#(?!!)\s?(.*)$/.exec(line)?.[1]
    if (words) {
      if (block.length === 0) start = index + 1
      block.push(words)
    } else if (block.length > 0) {
      found.push(...sentencesOf(block.join(' '), start))
      block = []
    }
  }
  return found
}
