/** The page's document and those of frames inside it that it may read; a platform may show a dialog in a small frame. */

/** No dialog is in frames that are nested deeper. */
const DEEPEST = 3

export function reachableDocuments(root: Document = document, depth = 0): Document[] {
  if (depth === DEEPEST) return [root]
  const inner = [...root.querySelectorAll('iframe')].flatMap((frame) => {
    const document = contentOf(frame)
    return document ? reachableDocuments(document, depth + 1) : []
  })
  return [root, ...inner]
}

function contentOf(frame: HTMLIFrameElement): Document | null {
  try {
    return frame.contentDocument
  } catch {
    // A frame of another site, which the script cannot read.
    return null
  }
}
