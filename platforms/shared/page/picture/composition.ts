/** The content of a surface: chooses who is seen, lays them out, and knows when all of it is really there. */

import type { RecordingMode } from '@standin/wire/codes.ts'
import type { DegradationStep } from '../../../../packages/core/ports.ts'
import { type Arrivals, createArrivals } from './composite-arrivals.ts'
import { CALM_COLORS } from './composite-style.ts'
import type { TileView } from './composite-tile.ts'
import { layOut, type Place, type Rectangle } from './layout.ts'
import { Painting } from './painting.ts'
import type { Surface } from './surface.ts'
import { chooseView, EMPTY_MEMORY, type ViewChoice } from './view-choice.ts'

export type CompositeMode = Exclude<RecordingMode, 'audio_only'>

/** One picture of the meeting. The bot's own tile is never among them. */
export interface CompositeTile {
  /** Stable while the tile exists: the participant's id, and another one for a shared screen. */
  id: string
  /** Shown as text, never as markup. */
  name: string
  /** Null when the camera is off. Only its video is used. The same object may be given again and again. */
  stream: MediaStream | null
  isScreen: boolean
  isSpeaking: boolean
}

export class Composition {
  readonly #surface: Surface
  readonly #painting: Painting
  readonly #arrivals: Arrivals
  readonly #views = new Map<string, { view: TileView; tile: CompositeTile }>()
  /** Tiles of people who left, still in view until another tile is. */
  readonly #retired = new Set<TileView>()
  #mode: CompositeMode | null = null
  #order: readonly CompositeTile[] = []
  #memory = EMPTY_MEMORY
  #colorsUsed = 0
  #shownPlaces = ''
  #seen: ReadonlySet<string | null> = new Set()
  #recheck: ReturnType<typeof setTimeout> | undefined
  #isDrawing = false
  #step: DegradationStep = { framesPerSecond: null, size: 1 }

  constructor(surface: Surface) {
    this.#surface = surface
    this.#painting = new Painting(surface.nextFrame, () => (this.#mode === null ? null : this.#isComplete()))
    this.#arrivals = createArrivals(surface, (view) => {
      if (this.#retired.delete(view)) view.dispose()
      else view.place(null)
    })
    globalThis.addEventListener('resize', this.#drawSoon)
  }

  /** Null pauses: there is no layout, and tiles are kept. */
  show(mode: CompositeMode | null): void {
    this.#mode = mode
    if (mode !== null) {
      this.#drawSoon()
      return
    }
    this.#painting.change()
    this.#shownPlaces = ''
    clearTimeout(this.#recheck)
  }

  update(tiles: readonly CompositeTile[]): void {
    const ids = new Set(tiles.map(({ id }) => id))
    for (const [id, { view }] of this.#views) {
      if (ids.has(id)) continue
      this.#views.delete(id)
      if (view.isInView()) this.#retired.add(view)
      else view.dispose()
    }
    for (const tile of tiles) {
      const known = this.#views.get(tile.id)
      if (known) known.tile = tile
      const view = known?.view ?? this.#newTile()
      if (!known) this.#views.set(tile.id, { view, tile })
      view.update(tile)
    }
    this.#order = [...new Map(tiles.map((tile) => [tile.id, tile])).values()]
    this.#drawSoon()
  }

  setStep(step: DegradationStep): void {
    this.#step = step
    for (const { view } of this.#views.values()) view.setRate(step.framesPerSecond)
    this.#drawSoon()
  }

  painted(): Promise<void> {
    return this.isPainted ? Promise.resolve() : this.#painting.whenDone()
  }

  get isPainted(): boolean {
    return this.#painting.isDone && !this.#isDrawing
  }

  /** Also disposes the surface. */
  dispose(): void {
    this.#mode = null
    clearTimeout(this.#recheck)
    globalThis.removeEventListener('resize', this.#drawSoon)
    for (const { view } of this.#views.values()) view.dispose()
    for (const view of this.#retired) view.dispose()
    this.#views.clear()
    this.#surface.dispose()
  }

  #newTile(): TileView {
    const color = CALM_COLORS[this.#colorsUsed++ % CALM_COLORS.length]!
    const view = this.#surface.createTile(color, () => {
      this.#painting.change()
      this.#drawSoon()
    })
    view.setRate(this.#step.framesPerSecond)
    return view
  }

  /** Combines the changes of one task into one painting, before the next frame. */
  #drawSoon = (): void => {
    if (this.#isDrawing) return
    this.#isDrawing = true
    queueMicrotask(() => this.#draw())
  }

  #draw(): void {
    this.#isDrawing = false
    const mode = this.#mode
    if (!mode) return
    const { screenId, speakerId, standby, gallery, hiddenCount } = this.#choose()
    const area = middleOf(this.#surface.size(), this.#step.size)
    this.#surface.setArea(area)
    const places = layOut({
      ...{ mode, width: area.width, height: area.height, screenId, speakerId, standby, gallery, hiddenCount },
      screenAspect: screenId === null ? null : (this.#views.get(screenId)?.view.aspect() ?? null),
    })
    const wanted = JSON.stringify([mode, places, hiddenCount])
    if (wanted !== this.#shownPlaces) {
      this.#shownPlaces = wanted
      this.#putInPlace(places, hiddenCount)
      this.#painting.change()
    }
    // The large picture of the speaker view is always the speaker's; a frame around it would add nothing.
    const isFramed = mode === 'gallery_view' || this.#memory.screens.length > 0
    for (const { view, tile } of this.#views.values()) view.mark(tile.isSpeaking && !tile.isScreen && isFramed)
    this.#painting.settle()
  }

  #choose(): ViewChoice {
    const now = performance.now()
    const candidates = this.#order.flatMap(({ id, isScreen, isSpeaking }) => {
      const view = this.#views.get(id)?.view
      // A screen without a first frame would only take the place of the people.
      if (!view || (isScreen && !view.hasPicture())) return []
      return [{ id, isScreen, isSpeaking, hasCamera: view.hasCamera() }]
    })
    const choice = chooseView(this.#memory, candidates, now)
    this.#memory = choice.memory
    clearTimeout(this.#recheck)
    if (choice.recheckAt !== null) this.#recheck = setTimeout(this.#drawSoon, choice.recheckAt - now + 1)
    return choice
  }

  #putInPlace(places: readonly Place[], hiddenCount: number): void {
    this.#seen = new Set(places.filter(({ isStandby }) => !isStandby).map(({ id }) => id))
    const byId = new Map(places.map((place) => [place.id, place]))
    const all = [...this.#views].map(([id, { view }]) => ({ view, place: byId.get(id) ?? null }))
    const comesWithPicture = all.some(
      ({ view, place }) => place && !place.isStandby && !view.isInView() && view.hasCamera(),
    )
    for (const { view, place } of all) {
      if (place) this.#arrivals.place(view, place)
      else if (view.isInView()) this.#arrivals.takeAway(view, comesWithPicture)
    }
    for (const view of this.#retired) this.#arrivals.takeAway(view, comesWithPicture)
    this.#surface.showRest(byId.get(null)?.picture ?? null, hiddenCount)
    this.#surface.showEmpty(places.length === 0)
  }

  #isComplete(): boolean {
    if (this.#isDrawing || !this.#arrivals.areDone()) return false
    return [...this.#views].every(([id, { view, tile }]) => !(this.#seen.has(id) || tile.isScreen) || view.isSettled())
  }
}

/** In whole pixels. */
function middleOf(whole: { width: number; height: number }, size: number): Rectangle {
  const width = Math.round(whole.width * size)
  const height = Math.round(whole.height * size)
  return { x: Math.floor((whole.width - width) / 2), y: Math.floor((whole.height - height) / 2), width, height }
}
