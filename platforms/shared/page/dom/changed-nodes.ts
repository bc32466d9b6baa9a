/** Messages of a panel that are new or have changed since they were read last, so that thousands of old ones cost nothing. */

/** `panel` holds the messages (`message`); both may come, go and be recreated at any time. */
export function watchChangedNodes(panel: string, message: string) {
  const changed = new Set<Element>()
  const gone = new Set<Element>()
  let watched: Element | null = null
  const note = (record: MutationRecord) => {
    const target = record.target instanceof Element ? record.target : record.target.parentElement
    const around = target?.closest(message)
    if (around) changed.add(around)
    for (const node of record.addedNodes) if (node instanceof Element) noteInside(node)
  }
  const noteInside = (element: Element) => {
    if (element.matches(message)) changed.add(element)
    for (const inside of element.querySelectorAll(message)) changed.add(inside)
  }
  const observer = new MutationObserver((records) => {
    for (const record of records) note(record)
  })

  return {
    /** At most so many, in the panel's order; the others come with the next call. */
    read(most: number): Element[] {
      const root = document.querySelector(panel) ?? document.querySelector(message)?.closest('aside') ?? null
      for (const record of observer.takeRecords()) note(record)
      if (root !== watched) {
        observer.disconnect()
        watched = root
        if (root) {
          observer.observe(root, { subtree: true, childList: true, characterData: true })
          noteInside(root)
        }
      }
      for (const element of changed) {
        if (element.isConnected) continue
        changed.delete(element)
        gone.add(element)
      }
      const taken = [...changed]
        .sort((one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1))
        .slice(0, most)
      for (const element of taken) changed.delete(element)
      return taken
    },
    /** Messages that left the page before they were read; each is returned once. */
    gone(): Element[] {
      const left = [...gone]
      gone.clear()
      return left
    },
  }
}
