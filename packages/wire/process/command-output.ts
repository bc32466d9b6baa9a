/** How commands of a shell answer: JSON for programs, plain lines for people. */

export interface Output {
  /** Writes the answer; `lines` is what a person reads instead. */
  answer(value: unknown, lines: readonly string[]): void
  /** Progress, for people only. */
  note(line: string): void
}

export function createOutput(out: NodeJS.WritableStream, isJson: boolean): Output {
  return {
    answer: (value, lines) => {
      if (isJson) out.write(`${JSON.stringify(value)}\n`)
      else if (lines.length > 0) out.write(`${lines.join('\n')}\n`)
    },
    note: (line) => {
      if (!isJson) out.write(`${line}\n`)
    },
  }
}

/** Rows under their headings, in columns. Without rows: the sentence. */
export function table(headings: readonly string[], rows: readonly (readonly unknown[])[], ifEmpty: string): string[] {
  if (rows.length === 0) return [ifEmpty]
  const texts = [headings, ...rows.map((row) => row.map(cell))]
  const widths = headings.map((_, column) => Math.max(...texts.map((row) => row[column]!.length)))
  return texts.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString()
  return String(value).replace(/[^\P{C}]/gu, '?')
}

/** A mistake in the command or its settings; exit code 2. */
export class CommandMistake extends Error {}
