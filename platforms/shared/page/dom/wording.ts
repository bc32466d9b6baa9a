/** Recognizes a text of the page by its known labels, in every language of the platform's words. */
import { plain } from './visible-text.ts'

export interface Wording {
  says(label: string, text: string): boolean
  /** The first group of the label's expression that matched, such as a number; null without a match. */
  read(label: string, text: string): string | null
}

/** `labels` are sources of expressions by name, as `labelSources` in the driver makes them. */
export function createWording(labels: Readonly<Record<string, string>>): Wording {
  const expressions = new Map(Object.entries(labels).map(([name, source]) => [name, new RegExp(source, 'iu')]))
  return {
    says: (label, text) => expressions.get(label)?.test(plain(text)) ?? false,
    read: (label, text) => expressions.get(label)?.exec(plain(text))?.slice(1).find(Boolean) ?? null,
  }
}
