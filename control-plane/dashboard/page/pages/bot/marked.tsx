import type { ComponentChildren } from 'preact'

/** The text with each occurrence of `wanted` marked. `wanted` is in lower case. */
export function marked(text: string, wanted: string): ComponentChildren {
  const lower = text.toLocaleLowerCase()
  // In some languages the lower case has another length, and the positions would be wrong.
  if (wanted === '' || lower.length !== text.length) return text
  const parts: ComponentChildren[] = []
  let from = 0
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>)
    from = at + wanted.length
  }
  return [...parts, text.slice(from)]
}
