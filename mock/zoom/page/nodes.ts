/** Node ids, as the page and its server count them. */

/** Shared screens have a node of their own, apart from the camera's in the low ten bits. */
export function shareNode(node: number): number {
  return node + 2
}
