/** Places of the parts of a scene in the picture. Pure. */
import type { Rectangle } from '../layout.ts'
import { evenPlace } from './fit.ts'
import type { Scene, SceneTile } from './scene.ts'

/** Places relative to the picture instead of to the area. */
export function moved(tile: SceneTile, { x, y }: Rectangle): SceneTile {
  const picture = evenPlace(shifted(tile.picture, x, y))
  const caption = evenPlace(shifted(tile.caption, x, y))
  return { ...tile, picture, caption: { ...caption, y: picture.y + picture.height } }
}

/** All but its tiles, likewise. */
export function movedScene(scene: Scene): Scene {
  const { x, y } = scene.area
  return scene.rest === null ? scene : { ...scene, rest: { ...scene.rest, place: shifted(scene.rest.place, x, y) } }
}

/** The picture and the name under it. */
export function placeOf({ picture, caption }: SceneTile): Rectangle {
  return { ...picture, height: caption.y + caption.height - picture.y }
}

export function meet(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  )
}

function shifted(place: Rectangle, x: number, y: number): Rectangle {
  return { ...place, x: place.x + x, y: place.y + y }
}
