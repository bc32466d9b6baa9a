/** Node ids, as the page and its server count them. */

/** Shared screens have a separate node, which differs from the camera's in the low ten bits. */
export function shareNode(node: number): number {
  return node + 2
}
