/** Recognizes a text of the page by its known labels, in every language of the platform's words. */
import { plain } from './visible-text.ts'

/** As in the driver, no longer text is compared. */
const compared = (text: string): string => plain(text).slice(0, 2000)

export type Wording = ReturnType<typeof createWording>

/** `labels` are sources of expressions by name, as `labelSources` in the driver makes them. */
export function createWording(labels: Readonly<Record<string, string>>) {
  const expressions = new Map(Object.entries(labels).map(([name, source]) => [name, new RegExp(source, 'iu')]))
  return {
    says: (label: string, text: string): boolean => expressions.get(label)?.test(compared(text)) ?? false,
    /** The first group of the label's expression that matched, such as a number; null without a match. */
    read: (label: string, text: string): string | null =>
      expressions.get(label)?.exec(compared(text))?.slice(1).find(Boolean) ?? null,
  }
}
