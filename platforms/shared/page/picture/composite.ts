/** The picture that is recorded: our layer over the whole page, drawn from the page's video streams. */
import type { DegradationStep } from '../../../../packages/core/ports.ts'
import { LOOK } from './composite-style.ts'
import { type CompositeMode, type CompositeTile, Composition } from './composition.ts'
import { type Frames, openFrames } from './frames/frame-surface.ts'
import { trustedAddresses } from './frames/trusted-addresses.ts'
import { createScreenSurface } from './screen-surface.ts'
import type { Surface } from './surface.ts'
import { createTopLayer } from './top-layer.ts'

export type { CompositeTile }

export interface CompositeOptions {
  /** Shown while the bot is alone; default: Waiting for others. */
  emptyText?: string
  /** `CommonConfig.painter` */
  painter?: string
}

/** Every call is repeatable. To be made at document start, so that its hooks come before the page's own. */
export type Composite = ReturnType<typeof createComposite>

export function createComposite({ emptyText = 'Waiting for others', painter: own }: CompositeOptions = {}) {
  const trusted = trustedAddresses(own)
  // The page's policy decides which of the two it allows; the first one has its own policy.
  const addresses = own === undefined ? [] : [`/${own}.js`]
  const layer = createTopLayer(() => surface.reattached())
  const nextFrame = requestAnimationFrame.bind(globalThis)
  const onScreen = () => createScreenSurface(layer.root, emptyText, nextFrame)
  let surface: Surface = onScreen()
  let composition = new Composition(surface)
  let frames: Frames | null = null
  /** Settings of the present composition, for the next one. */
  let mode: CompositeMode | null = null
  let tiles: readonly CompositeTile[] = []
  let step: DegradationStep | null = null

  function paintOn(next: Surface): void {
    composition.dispose()
    surface = next
    composition = new Composition(surface)
    if (step !== null) composition.setStep(step)
    composition.update(tiles)
    composition.show(mode)
  }

  function hide(): void {
    mode = null
    composition.show(null)
    layer.hide()
  }

  return {
    /**
     * Makes the picture a file of frames, with the worker of this source, instead of elements on the screen. Resolves with
     * the bytes (hex) by which the file is known until `show`; with null if browser or page do not allow it.
     */
    async openFrames(painter: string, size: { width: number; height: number }): Promise<string | null> {
      if (frames !== null) return frames.mark
      try {
        frames = await openFrames({ addresses, source: painter, trusted }, size, emptyText)
      } catch (error) {
        console.warn('The picture is painted on the screen', error)
        return null
      }
      paintOn(frames.surface)
      layer.root.adoptedStyleSheets = [coverSheet()]
      return frames.mark
    },
    /** Back to the screen: the frames have no reader. */
    closeFrames(): void {
      if (frames === null) return
      frames = null
      paintOn(onScreen())
    },
    /** Paints frames with the page's tiles, and leaves the page as it is; does nothing on the screen. */
    paintAhead(wanted: CompositeMode): void {
      if (frames === null) return
      mode = wanted
      composition.show(mode)
    },
    /** Shows the picture over the page, or changes its layout. */
    show(wanted: CompositeMode): void {
      mode = wanted
      layer.show()
      composition.show(mode)
    },
    /** The whole set of tiles, in the order in which people joined; call it whenever something changed. */
    update(next: readonly CompositeTile[]): void {
      tiles = next
      composition.update(tiles)
    },
    /** Reduces the picture, on a machine that cannot paint it all: fewer frames, or a smaller one in the middle. */
    setStep(wanted: DegradationStep): void {
      step = wanted
      composition.setStep(step)
    },
    /** Removes the layer; tiles are kept. */
    hide,
    /**
     * Resolves once the picture of the latest `show`/`update` is really on the screen: every tile in view has painted a
     * frame of its video, or shows initials because none came within `FIRST_FRAME_MS`. Waits for `show` first.
     */
    painted: (): Promise<void> => composition.painted(),
    /** The same as a flag. */
    get isPainted() {
      return composition.isPainted
    },
    /** The painted frame, a PNG in base64; null while frames are not open. */
    png: async (): Promise<string | null> => (await frames?.png()) ?? null,
    /** Why no frames are painted any more, for good; null while there is no fault. */
    get fault() {
      return frames?.fault ?? null
    },
    /** Removes everything, also the hooks. */
    dispose(): void {
      hide()
      composition.dispose()
      layer.dispose()
    },
  }
}

/** Keeps the page under the layer from being painted. */
function coverSheet(): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`:host { background: ${LOOK.ground} !important }`)
  return sheet
}
