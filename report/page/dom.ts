/** Elements with text; nothing here takes markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string> = {},
  ...content: (string | Node)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...content)
  return made
}

/** The golden angle keeps neighbors apart, however many there are. */
export function hueOf(index: number): number {
  return Math.round((index * 137.508 + 210) % 360)
}
