/**
 * Hertz. The sound server, the browser, the recording and live listeners all use this rate, so audio is never resampled
 * on the way.
 */
export const CAPTURE_SAMPLE_RATE = 48_000
