/** Camera pictures for tests that do not measure them: sending, decoding and painting larger ones is most of the work. */
export const SMALL_PICTURES = { width: 160, height: 90, fps: 10, layers: 1, moves: false } as const
