/** One picture of the composite: a video element over initials, and a name under it. */

import { LOOK } from './composite-style.ts'
import { initialsOf, labelOf } from './initials.ts'
import type { Place, Rectangle } from './layout.ts'
import { followTrack } from './tile-track.ts'

export interface TileContent {
  name: string
  stream: MediaStream | null
  isScreen: boolean
}

/** A camera without a picture for this long counts as off, and the initials are shown. */
export const FIRST_FRAME_MS = 3000

/** Average time until the next frame of a camera at 25 frames a second. */
const FRAME_COMES_MS = 20

export interface TileView {
  update(content: TileContent): void
  /** Draws a frame around the speaker's picture. */
  mark(isSpeaking: boolean): void
  /** Null takes the tile out of view; its video keeps playing, so that it comes back with a picture at once. */
  place(place: Place | null): void
  isInView(): boolean
  /** Keeps it above the tiles that replace it. */
  keepAbove(isLeaving: boolean): void
  /** There is a frame, or initials because there is nothing to wait for. */
  isSettled(): boolean
  /** Width by height of the picture, null before there is one. */
  aspect(): number | null
  hasCamera(): boolean
  /** A frame has come, and the camera or screen is not off. */
  hasPicture(): boolean
  /** At most so many frames a second; null for no limit. */
  setRate(framesPerSecond: number | null): void
  dispose(): void
}

/** `changed` is called at the first frame, when the shape of the picture changed, and when the camera went off. */
export type CreateTile = (color: string, changed: () => void) => TileView

export interface ScreenTile extends TileView {
  /** Videos are paused after having been taken out of the page. */
  play(): void
}

/** Tiles as elements of a page, inside of `parent`. */
export function createTileView(parent: Element, color: string, changed: () => void): ScreenTile {
  const element = create('div', 'tile')
  const picture = create('div', 'picture')
  const initials = create('div', 'initials')
  const caption = create('div', 'caption')
  const name = create('span', 'name')
  // The direction is that of the name itself, never of the page or of the name before it.
  name.dir = 'auto'
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  video.disablePictureInPicture = true
  initials.style.setProperty('background', color)
  caption.append(name)
  picture.append(initials, video)
  element.append(picture, caption)
  parent.append(element)

  let hasFrame = false
  let waitingSince = 0
  let isInView = false
  /** Milliseconds that the picture is frozen after each frame; 0 shows them all. */
  let restMs = 0
  let rest: ReturnType<typeof setTimeout> | undefined

  const followed = followTrack({
    /** Only the video is taken: a muted element with sound would still run it through the browser's mixer. */
    taken(track) {
      hasFrame = false
      waitingSince = performance.now()
      video.srcObject = track ? new MediaStream([track]) : null
      if (track) {
        awaitFrame(track)
        play()
      }
      showPicture()
      changed()
    },
    changed() {
      waitingSince = performance.now()
      showPicture()
      changed()
    },
  })

  function hasPicture(): boolean {
    return hasFrame && followed.isOn()
  }

  function showPicture(): void {
    element.classList.toggle('has-picture', hasPicture())
    element.classList.toggle('is-portrait', video.videoHeight > video.videoWidth)
  }

  function awaitFrame(awaited: MediaStreamTrack): void {
    video.requestVideoFrameCallback(() => {
      if (awaited !== followed.track()) return
      hasFrame = true
      showPicture()
      changed()
    })
  }

  function play(): void {
    if (!followed.track() || rest !== undefined) return
    // Rejected when the element is taken out or gets another source meanwhile; both play again on their own.
    video.play().catch(() => {})
  }

  /** A video that is paused after a frame is not painted; the next frame it shows is the newest then. */
  function restAfterFrame(): void {
    video.requestVideoFrameCallback(() => {
      if (restMs === 0 || rest !== undefined) return
      rest = setTimeout(() => {
        rest = undefined
        play()
        if (restMs > 0) restAfterFrame()
      }, restMs)
      video.pause()
    })
  }

  video.addEventListener('resize', () => {
    showPicture()
    changed()
  })
  video.addEventListener('pause', () => {
    if (video.isConnected) play()
  })

  return {
    update(content) {
      const label = labelOf(content.name)
      if (name.textContent !== label) {
        name.textContent = label
        initials.textContent = initialsOf(content.name)
      }
      element.classList.toggle('is-screen', content.isScreen)
      followed.follow(content.stream)
    },
    mark: (isSpeaking) => element.classList.toggle('is-speaking', isSpeaking),
    place(place) {
      isInView = place !== null
      element.classList.toggle('in-view', isInView)
      element.classList.toggle('is-standby', place?.isStandby === true)
      if (!place) return
      setRectangle(picture, place.picture)
      setRectangle(caption, place.caption)
      caption.style.setProperty('font-size', `${place.fontSize}px`)
      const diameter = Math.round(Math.min(place.picture.width, place.picture.height) * LOOK.initials)
      initials.style.setProperty('width', `${diameter}px`)
      initials.style.setProperty('height', `${diameter}px`)
      initials.style.setProperty('font-size', `${Math.round(diameter * LOOK.initialsSize)}px`)
    },
    isInView: () => isInView,
    keepAbove: (isLeaving) => element.classList.toggle('is-leaving', isLeaving),
    isSettled() {
      if (!followed.isOn()) return true
      return hasFrame || performance.now() - waitingSince > FIRST_FRAME_MS
    },
    aspect: () => (video.videoWidth > 0 && video.videoHeight > 0 ? video.videoWidth / video.videoHeight : null),
    hasPicture,
    hasCamera: followed.isOn,
    play,
    setRate(framesPerSecond) {
      const wasResting = restMs > 0
      restMs = framesPerSecond === null ? 0 : Math.max(1, 1000 / framesPerSecond - FRAME_COMES_MS)
      if (restMs > 0 && !wasResting) restAfterFrame()
      if (restMs === 0) {
        clearTimeout(rest)
        rest = undefined
        play()
      }
    },
    dispose() {
      clearTimeout(rest)
      followed.follow(null)
      element.remove()
    },
  }
}

/** Through the object model: a style attribute in markup would need the permission of the page's policy. */
export function setRectangle(element: HTMLElement, { x, y, width, height }: Rectangle): void {
  for (const [name, value] of Object.entries({ left: x, top: y, width, height })) {
    const wanted = `${value}px`
    if (element.style.getPropertyValue(name) !== wanted) element.style.setProperty(name, wanted)
  }
}

export function create(tag: string, className: string): HTMLElement {
  const element = document.createElement(tag)
  element.className = className
  return element
}
