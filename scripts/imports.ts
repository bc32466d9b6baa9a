/** Reads the imports of a file with a lexer, so that an import in a comment or a string does not count. */
import jsTokens from 'js-tokens'

export interface Import {
  /** As it is written. */
  name: string
  /** It leaves no trace at run time. */
  isType: boolean
}

/** Static and dynamic imports and `export … from`, in the order of the text. A dynamic import of a variable has no name. */
export function importsOf(text: string): Import[] {
  const tokens = [...jsTokens(text)].filter(({ type }) => !/WhiteSpace|LineTerminator|Comment/.test(type))
  return tokens.flatMap(({ value }, at) => {
    if ((value !== 'import' && value !== 'export') || tokens[at - 1]?.value === '.') return []
    const next = tokens[at + 1]
    if (next?.value === '(') return named(tokens[at + 2], false)
    if (next?.type === 'StringLiteral') return named(next, false)
    const from = endOfClause(tokens, at + 1)
    return from === null ? [] : named(tokens[from + 1], next?.value === 'type')
  })
}

type Token = { type: string; value: string }

/** The `from` of the import or export whose clause begins at `at`; null if what begins there is a declaration. */
function endOfClause(tokens: readonly Token[], at: number): number | null {
  for (let index = at; index < tokens.length; index += 1) {
    const { type, value } = tokens[index]!
    if (value === 'from' && tokens[index + 1]?.type === 'StringLiteral') return index
    if (type !== 'IdentifierName' && !['{', '}', ',', '*'].includes(value)) return null
  }
  return null
}

function named(token: Token | undefined, isType: boolean): Import[] {
  return token?.type === 'StringLiteral' ? [{ name: token.value.slice(1, -1), isType }] : []
}
