/** Places of the pictures in the composite. Pure: a choice of tiles goes in, rectangles in whole pixels come out. */

export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

export interface Place {
  /** The tile's id; null for the place that shows how many more people there are. */
  id: string | null
  picture: Rectangle
  /** The strip under the picture that holds the name. */
  caption: Rectangle
  /** Pixels. */
  fontSize: number
  /**
   * Drawn underneath the speaker, who covers it: a video that is drawn already can replace the speaker's without a gap.
   */
  isStandby?: boolean
}

export interface LayoutRequest {
  mode: 'speaker_view' | 'gallery_view'
  width: number
  height: number
  screenId: string | null
  /** Width by height of the shared screen; 16:9 if it is not known yet. */
  screenAspect: number | null
  speakerId: string | null
  /** People who may be the next speaker in the picture. */
  standby: readonly string[]
  gallery: readonly string[]
  hiddenCount: number
}

const MARGIN = 14
const GAP = 12
const WIDE = 16 / 9
const NARROW = 4 / 3
/**
 * A shared screen that is taller or wider than these is fitted into its place all the same, but without a close frame.
 */
const SCREEN_ASPECTS = { least: 0.5, most: 3 }

/** Without people it draws nothing (an empty list); the caller shows its card then. */
export function layOut(request: LayoutRequest): Place[] {
  const whole = inset({ x: 0, y: 0, width: request.width, height: request.height }, MARGIN)
  if (request.mode === 'speaker_view') return withStandby(speakerView(request, whole), request)
  const ids: (string | null)[] = [...request.gallery]
  if (request.hiddenCount > 0) ids.push(null)
  if (request.screenId === null) return grid(ids, whole)
  if (ids.length === 0) return [screenPlace(request.screenId, request.screenAspect, whole)]
  const sideWidth = Math.round(whole.width * (ids.length > 4 ? 0.24 : 0.2))
  return besideScreen(request.screenId, request.screenAspect, whole, sideWidth, ids)
}

/** The speaker, and, hidden underneath, those who may speak next. */
function withStandby(places: Place[], { speakerId, standby }: LayoutRequest): Place[] {
  const speaker = places.find(({ id }) => id === speakerId)
  if (!speaker) return places
  // Smaller, so that it does not show at the round corners.
  const picture = inset(speaker.picture, 2)
  return [...places, ...standby.map((id) => ({ ...speaker, id, picture, isStandby: true }))]
}

/** Only the speaker; a shared screen comes first, with the speaker small beside it. */
function speakerView(request: LayoutRequest, whole: Rectangle): Place[] {
  const { screenId, speakerId } = request
  if (screenId === null) return speakerId === null ? [] : grid([speakerId], whole)
  if (speakerId === null) return [screenPlace(screenId, request.screenAspect, whole)]
  const places = besideScreen(screenId, request.screenAspect, whole, Math.round(whole.width * 0.2), [speakerId])
  const top = Math.min(...places.map(({ picture }) => picture.y))
  return places.map((shown) => raisedTo(top, shown))
}

/** A narrow screen leaves room at its sides; the people move up to it. */
function besideScreen(
  screenId: string,
  aspect: number | null,
  whole: Rectangle,
  sideWidth: number,
  ids: readonly (string | null)[],
): Place[] {
  const [main, side] = split(whole, sideWidth)
  const screen = screenPlace(screenId, aspect, main)
  const spare = Math.floor((main.width - screen.picture.width) / 2)
  return [screen, ...grid(ids, { ...side, x: side.x - spare })]
}

/** The number of columns maximizes the visible area of wide pictures; the last row is centered. */
function grid(ids: readonly (string | null)[], area: Rectangle): Place[] {
  let best: { columns: number; caption: number; worth: number; width: number; height: number } | null = null
  for (let columns = 1; columns <= ids.length; columns++) {
    const rows = Math.ceil(ids.length / columns)
    const cell = {
      width: (area.width - GAP * (columns - 1)) / columns,
      height: (area.height - GAP * (rows - 1)) / rows,
    }
    // The caption's size depends on the picture above it, and the picture's size on the room that the caption leaves.
    const guess = largestPicture(cell.width, cell.height - captionHeight(cell.width))
    const caption = captionHeight(guess.width)
    // With so many rows that names alone fill the height, there is no room for pictures.
    if (cell.width <= 0 || cell.height <= caption) continue
    const size = largestPicture(cell.width, cell.height - caption)
    const worth = size.width * size.height * (size.width / size.height / WIDE)
    if (!best || worth > best.worth) best = { columns, caption, worth, ...size }
  }
  if (!best) return []
  const { columns, caption, width, height } = best
  const rows = Math.ceil(ids.length / columns)
  const top = area.y + (area.height - rows * (height + caption) - (rows - 1) * GAP) / 2
  return ids.map((id, index) => {
    const row = Math.floor(index / columns)
    const inRow = row === rows - 1 ? ids.length - row * columns : columns
    const left = area.x + (area.width - inRow * width - (inRow - 1) * GAP) / 2
    const x = left + (index - row * columns) * (width + GAP)
    const y = top + row * (height + caption + GAP)
    return place(id, { x, y, width, height }, caption)
  })
}

function screenPlace(id: string, aspect: number | null, area: Rectangle): Place {
  const caption = captionHeight(area.width)
  const shape = Math.min(Math.max(aspect ?? WIDE, SCREEN_ASPECTS.least), SCREEN_ASPECTS.most)
  const width = Math.min(area.width, (area.height - caption) * shape)
  const height = width / shape
  const x = area.x + (area.width - width) / 2
  const y = area.y + (area.height - height - caption) / 2
  return place(id, { x, y, width, height }, caption)
}

/** The largest picture in a cell, between 4:3 and 16:9: within that, only unimportant edges are cut. */
function largestPicture(width: number, height: number): { width: number; height: number } {
  if (width / height > WIDE) return { width: height * WIDE, height }
  if (width / height < NARROW) return { width, height: width / NARROW }
  return { width, height }
}

function place(id: string | null, exact: Rectangle, captionSize: number): Place {
  const x = Math.round(exact.x)
  const y = Math.round(exact.y)
  const picture = { x, y, width: Math.floor(exact.width), height: Math.floor(exact.height) }
  const caption = { x, y: y + picture.height, width: picture.width, height: captionSize }
  return { id, picture, caption, fontSize: Math.round(captionSize * 0.55) }
}

/** A small picture has a smaller name. */
function captionHeight(width: number): number {
  if (width >= 800) return 36
  if (width >= 360) return 30
  return width >= 220 ? 26 : 22
}

function raisedTo(y: number, { id, picture, caption, fontSize }: Place): Place {
  return { id, picture: { ...picture, y }, caption: { ...caption, y: y + picture.height }, fontSize }
}

function split(area: Rectangle, sideWidth: number): [main: Rectangle, side: Rectangle] {
  const mainWidth = area.width - sideWidth - GAP
  return [
    { ...area, width: mainWidth },
    { ...area, x: area.x + mainWidth + GAP, width: sideWidth },
  ]
}

function inset({ x, y, width, height }: Rectangle, by: number): Rectangle {
  return { x: x + by, y: y + by, width: width - 2 * by, height: height - 2 * by }
}
