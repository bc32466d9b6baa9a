/** The picture that is recorded: a layer of our own over the whole page, drawn from the page's video streams. */
import type { PictureStep } from '../../../src/ports.ts'
import { FIRST_FRAME_MS } from './composite-tile.ts'
import { type CompositeMode, type CompositeTile, createComposition } from './composition.ts'
import { createScreenSurface } from './screen-surface.ts'
import { createTopLayer } from './top-layer.ts'

export type { CompositeMode, CompositeTile }

export interface CompositeOptions {
  /** Shown while nobody else is there; default: Waiting for others. */
  emptyText?: string
}

/** Every call is repeatable. To be made at document start, so that its hooks come before the page's own. */
export interface Composite {
  /** Lays the picture over the page, or changes its layout. */
  show(mode: CompositeMode): void
  /** The whole set of tiles, in the order in which people joined; call it whenever something changed. */
  update(tiles: readonly CompositeTile[]): void
  /** Less of the picture, on a machine that cannot paint it all: fewer frames, or a smaller one in the middle. */
  setStep(step: PictureStep): void
  /** Takes the layer away; tiles are kept. */
  hide(): void
  /**
   * Resolves once the picture of the latest `show`/`update` is really on the screen: every tile in view has painted a
   * frame of its video, or shows initials because none came within `FIRST_FRAME_MS`. Waits for `show` first.
   */
  painted(): Promise<void>
  /** The same as a flag. */
  readonly isPainted: boolean
  /** Takes everything back, also the hooks. */
  dispose(): void
}

export { FIRST_FRAME_MS }

export function createComposite(options: CompositeOptions = {}): Composite {
  const layer = createTopLayer(() => surface.reattached())
  const nextFrame = requestAnimationFrame.bind(globalThis)
  const surface = createScreenSurface(layer.root, options.emptyText ?? 'Waiting for others', nextFrame)
  const composition = createComposition(surface)

  function hide(): void {
    composition.show(null)
    layer.hide()
  }

  return {
    show(mode) {
      layer.show()
      composition.show(mode)
    },
    update: composition.update,
    setStep: composition.setStep,
    hide,
    painted: composition.painted,
    get isPainted() {
      return composition.isPainted
    },
    dispose() {
      hide()
      composition.dispose()
      layer.dispose()
    },
  }
}
