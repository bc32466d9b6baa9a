/** The content of a surface: chooses who is seen, lays them out, and knows when all of it is really there. */

import type { RecordingMode } from '@standin/wire/codes.ts'
import type { DegradationStep } from '../../../../core/ports.ts'
import { createArrivals } from './composite-arrivals.ts'
import { CALM_COLORS } from './composite-style.ts'
import type { TileView } from './composite-tile.ts'
import { layOut, type Place, type Rectangle } from './layout.ts'
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

export interface Composition {
  /** Null pauses: there is no layout, and tiles are kept. */
  show(mode: CompositeMode | null): void
  update(tiles: readonly CompositeTile[]): void
  setStep(step: DegradationStep): void
  painted(): Promise<void>
  readonly isPainted: boolean
  /** Also disposes the surface. */
  dispose(): void
}

export function createComposition(surface: Surface): Composition {
  const arrivals = createArrivals(surface, (view) => {
    if (retired.delete(view)) view.dispose()
    else view.place(null)
  })
  /** Tiles of people who left, still in view until another tile is. */
  const retired = new Set<TileView>()
  const views = new Map<string, { view: TileView; tile: CompositeTile }>()
  let mode: CompositeMode | null = null
  let order: readonly CompositeTile[] = []
  let memory = EMPTY_MEMORY
  let colorsUsed = 0
  let shownPlaces = ''
  let seen: ReadonlySet<string | null> = new Set()
  let recheck: ReturnType<typeof setTimeout> | undefined
  let drawing = false
  let settling = false
  let isPainted = false
  let tileChanges = 0
  let step: DegradationStep = { framesPerSecond: null, size: 1 }
  const waiting = new Set<() => void>()

  function draw(): void {
    drawing = false
    if (!mode) return
    const choice = choose()
    const area = middleOf(surface.size(), step.size)
    surface.setArea(area)
    const places = layOut({
      mode,
      width: area.width,
      height: area.height,
      screenId: choice.screenId,
      screenAspect: choice.screenId === null ? null : (views.get(choice.screenId)?.view.aspect() ?? null),
      speakerId: choice.speakerId,
      standby: choice.standby,
      gallery: choice.gallery,
      hiddenCount: choice.hiddenCount,
    })
    const wanted = JSON.stringify([mode, places, choice.hiddenCount])
    if (wanted !== shownPlaces) {
      shownPlaces = wanted
      putInPlace(places, choice.hiddenCount)
      isPainted = false
    }
    markSpeakers(mode)
    settle()
  }

  function choose(): ViewChoice {
    const now = performance.now()
    const candidates = order.flatMap(({ id, isScreen, isSpeaking }) => {
      const view = views.get(id)?.view
      // A screen without a first frame would only take the place of the people.
      if (!view || (isScreen && !view.hasPicture())) return []
      return [{ id, isScreen, isSpeaking, hasCamera: view.hasCamera() }]
    })
    const choice = chooseView(memory, candidates, now)
    memory = choice.memory
    clearTimeout(recheck)
    if (choice.recheckAt !== null) recheck = setTimeout(drawSoon, choice.recheckAt - now + 1)
    return choice
  }

  function putInPlace(places: readonly Place[], hiddenCount: number): void {
    seen = new Set(places.filter(({ isStandby }) => !isStandby).map(({ id }) => id))
    const byId = new Map(places.map((place) => [place.id, place]))
    const all = [...views].map(([id, { view }]) => ({ view, place: byId.get(id) ?? null }))
    const comesWithPicture = all.some(
      ({ view, place }) => place && !place.isStandby && !view.isInView() && view.hasCamera(),
    )
    for (const { view, place } of all) {
      if (place) arrivals.place(view, place)
      else if (view.isInView()) arrivals.takeAway(view, comesWithPicture)
    }
    for (const view of retired) arrivals.takeAway(view, comesWithPicture)
    surface.showRest(byId.get(null)?.picture ?? null, hiddenCount)
    surface.showEmpty(places.length === 0)
  }

  /** The large picture of the speaker view is always the speaker's; a frame around it would add nothing. */
  function markSpeakers(shown: CompositeMode): void {
    const isFramed = shown === 'gallery_view' || memory.screens.length > 0
    for (const { view, tile } of views.values()) view.mark(tile.isSpeaking && !tile.isScreen && isFramed)
  }

  /** Combines the changes of one task into one painting, before the next frame. */
  function drawSoon(): void {
    if (drawing) return
    drawing = true
    queueMicrotask(draw)
  }

  function isComplete(): boolean {
    if (mode === null || drawing || !arrivals.areDone()) return false
    return [...views].every(([id, { view, tile }]) => !(seen.has(id) || tile.isScreen) || view.isSettled())
  }

  /** The second frame begins when the first one, with the latest picture in it, was handed to the screen. */
  function settle(): void {
    if (isPainted) resolveWaiting()
    if (isPainted || settling) return
    settling = true
    const [placesBefore, changesBefore] = [shownPlaces, tileChanges]
    surface.nextFrame(() =>
      surface.nextFrame(() => {
        settling = false
        if (mode === null) return
        if (placesBefore !== shownPlaces || changesBefore !== tileChanges || !isComplete()) {
          settle()
          return
        }
        isPainted = true
        resolveWaiting()
      }),
    )
  }

  function resolveWaiting(): void {
    for (const resolve of waiting) resolve()
    waiting.clear()
  }

  function onTileChange(): void {
    tileChanges++
    isPainted = false
    drawSoon()
  }

  globalThis.addEventListener('resize', drawSoon)

  return {
    show(wanted) {
      mode = wanted
      if (mode !== null) {
        drawSoon()
        return
      }
      isPainted = false
      shownPlaces = ''
      clearTimeout(recheck)
    },
    update(tiles) {
      const ids = new Set(tiles.map(({ id }) => id))
      for (const [id, { view }] of views) {
        if (ids.has(id)) continue
        views.delete(id)
        if (view.isInView()) retired.add(view)
        else view.dispose()
      }
      for (const tile of tiles) {
        const known = views.get(tile.id)
        if (known) known.tile = tile
        const view = known?.view ?? surface.createTile(CALM_COLORS[colorsUsed++ % CALM_COLORS.length]!, onTileChange)
        if (!known) {
          view.setRate(step.framesPerSecond)
          views.set(tile.id, { view, tile })
        }
        view.update(tile)
      }
      order = [...new Map(tiles.map((tile) => [tile.id, tile])).values()]
      drawSoon()
    },
    setStep(wanted) {
      step = wanted
      for (const { view } of views.values()) view.setRate(step.framesPerSecond)
      drawSoon()
    },
    painted() {
      if (isPainted && !drawing) return Promise.resolve()
      return new Promise((resolve) => waiting.add(resolve))
    },
    get isPainted() {
      return isPainted && !drawing
    },
    dispose() {
      mode = null
      clearTimeout(recheck)
      globalThis.removeEventListener('resize', drawSoon)
      for (const { view } of views.values()) view.dispose()
      for (const view of retired) view.dispose()
      views.clear()
      surface.dispose()
    },
  }
}

/** In whole pixels. */
function middleOf(whole: { width: number; height: number }, size: number): Rectangle {
  const width = Math.round(whole.width * size)
  const height = Math.round(whole.height * size)
  return { x: Math.floor((whole.width - width) / 2), y: Math.floor((whole.height - height) / 2), width, height }
}
