import type { ComponentChildren } from 'preact'

/** The text with each occurrence of `wanted` marked; `wanted` is in lower case. */
export function marked(text: string, wanted: string): ComponentChildren {
  const lower = text.toLocaleLowerCase()
  // In some languages lower case has another length; places would be wrong then.
  if (wanted === '' || lower.length !== text.length) return text
  const parts: ComponentChildren[] = []
  let from = 0
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>)
    from = at + wanted.length
  }
  return [...parts, text.slice(from)]
}
