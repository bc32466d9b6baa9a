import { nameWithin } from '../shared/join/name-box.ts'

/** Zoom accepts 128 bytes of UTF-8 (docs/platform-notes/zoom.md#join-parameters). */
export function nameForZoom(name: string): string {
  return nameWithin(name, 128, (text) => Buffer.byteLength(text))
}
