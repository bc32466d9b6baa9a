import type { AudioProgram, MediaEncoder, VideoProgram } from './encode.ts'
import type { PictureSpec } from './pictures.ts'

/** Encoded pictures and voices that a room can send at once, filled in the background as they are asked for. */
export class ProgramStore {
  readonly #encoder: MediaEncoder
  readonly #pictures = new Map<string, VideoProgram | null>()
  readonly #voices = new Map<string, AudioProgram | null>()
  readonly #loading = new Set<Promise<void>>()
  #failure: unknown = null

  constructor(encoder: MediaEncoder) {
    this.#encoder = encoder
  }

  /** The pictures, or undefined while they are being encoded; asking begins that. */
  picture(spec: PictureSpec): VideoProgram | undefined {
    return this.#get(this.#pictures, JSON.stringify(spec), () => this.#encoder.picture(spec))
  }

  /** The voices of these looks together; undefined while they are being encoded. */
  voices(looks: readonly number[], beep: boolean): AudioProgram | undefined {
    return this.#get(this.#voices, JSON.stringify([looks, beep]), () => this.#encoder.voices(looks, beep))
  }

  /**
   * Resolves when everything asked for so far is encoded.
   * @throws Error of the first encoding that failed
   */
  async ready(): Promise<void> {
    while (this.#loading.size > 0) await Promise.all(this.#loading)
    if (this.#failure !== null) throw this.#failure
  }

  #get<T>(programs: Map<string, T | null>, key: string, load: () => Promise<T>): T | undefined {
    const known = programs.get(key)
    if (known !== undefined) return known ?? undefined
    programs.set(key, null)
    const loading = load()
      .then((program) => {
        programs.set(key, program)
      })
      // Kept for `ready`: this runs in the background, where no caller could catch the error.
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#loading.delete(loading))
    this.#loading.add(loading)
    return undefined
  }
}
