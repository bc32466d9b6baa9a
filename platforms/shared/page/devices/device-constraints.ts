/** The constraints of a page for a camera, and the identity of a device. */
import type { Size } from './virtual-camera.ts'

export interface DeviceIdentity {
  kind: 'audioinput' | 'videoinput'
  label: string
  deviceId: string
  groupId: string
}

/** A still picture needs no more, and every pixel is encoded again and again for the whole meeting. */
const USUAL: Size = { width: 640, height: 360 }
const LEAST: Size = { width: 160, height: 90 }
const MOST: Size = { width: 1280, height: 720 }

/**
 * The size to open the camera with: smaller than usual if that is preferred, larger only if it is required.
 * Throws an OverconstrainedError as a real camera would where a requirement cannot be met.
 */
export function wantedSize(wanted: boolean | MediaTrackConstraints): Size {
  if (typeof wanted === 'boolean') return { ...USUAL }
  const width = wantedLength(wanted.width, 'width')
  const height = wantedLength(wanted.height, 'height')
  const shape = USUAL.width / USUAL.height
  return {
    width: even(width ?? (height === null ? USUAL.width : Math.min(MOST.width, height * shape))),
    height: even(height ?? (width === null ? USUAL.height : Math.min(MOST.height, width / shape))),
  }
}

function wantedLength(wanted: ConstrainULong | undefined, side: 'width' | 'height'): number | null {
  if (wanted === undefined) return null
  const { exact, min, max, ideal } = typeof wanted === 'number' ? { ideal: wanted } : (wanted as ConstrainULongRange)
  const least = exact ?? min ?? LEAST[side]
  const most = exact ?? max ?? MOST[side]
  if (least > MOST[side] || most < LEAST[side] || least > most) {
    throw new OverconstrainedError(side, `${side} cannot be met`)
  }
  if (exact === undefined && min === undefined && max === undefined && ideal === undefined) return null
  const preferred = Math.min(ideal ?? USUAL[side], USUAL[side])
  return Math.round(Math.min(Math.max(preferred, least, LEAST[side]), most, MOST[side]))
}

/** Encoders halve the color planes, so lengths are even. */
function even(length: number): number {
  return Math.round(length / 2) * 2
}

/** 64 hex digits as browsers give them: the same for the same name and site, and revealing neither. */
export function deviceId(name: string, site: string = globalThis.location?.origin ?? ''): string {
  let digits = ''
  for (let part = 0; part < 8; part++) {
    let hash = 0x811c9dc5 ^ part
    for (const letter of `${site}|${name}|${part}`) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193) >>> 0
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
    digits += ((hash ^ (hash >>> 13)) >>> 0).toString(16).padStart(8, '0')
  }
  return digits
}

/** An object of the browser's own class, with our values in place of the class's readers. */
export function deviceInfo(identity: DeviceIdentity, capabilities: () => MediaTrackCapabilities): MediaDeviceInfo {
  const info = Object.create(globalThis.InputDeviceInfo?.prototype ?? MediaDeviceInfo.prototype)
  const { deviceId, kind, label, groupId } = identity
  for (const [name, value] of Object.entries({ deviceId, kind, label, groupId })) {
    Object.defineProperty(info, name, { value, enumerable: true })
  }
  Object.defineProperty(info, 'toJSON', { value: () => ({ deviceId, kind, label, groupId }) })
  Object.defineProperty(info, 'getCapabilities', { value: capabilities })
  return info
}
