import { FragmentReader } from './fragment-reader.ts'
import { GrowingMovie } from './growing-movie.ts'

/** The contents of a body that a crashed process left behind. */
export interface IndexedBody {
  /** Bytes up to the end of its last whole fragment; what follows is to be cut off. */
  wholeBytes: number
  seconds: number
  /** The head for the body without what is to be cut off: exactly `room` bytes, or as short as it can be. */
  makeHead(room: number | null): Uint8Array
}

/**
 * Makes the index of a body again from the headers of its fragments, up to where it ends in the middle of one or stops
 * making sense. Rejects if not even the first fragment is whole.
 */
export async function indexBody(recoveryHead: Uint8Array, body: AsyncIterable<Uint8Array>): Promise<IndexedBody> {
  let movie: GrowingMovie | null = null
  const reader = new FragmentReader({
    header: (tracks) => {
      movie = new GrowingMovie(tracks)
    },
    fragment: (fragment) => movie?.add(fragment),
  })
  reader.push(recoveryHead)
  const made = movie as GrowingMovie | null
  if (made === null) throw new Error('the recovery head does not describe any track')
  try {
    for await (const bytes of body) reader.push(bytes)
  } catch (error) {
    // After a power cut a file may end in zeros.
    if (made.bytes === 0) throw error
  }
  if (made.bytes === 0) throw new Error('not a single fragment is whole')
  return { wholeBytes: made.bytes, seconds: made.seconds, makeHead: (room) => made.head(room) }
}
