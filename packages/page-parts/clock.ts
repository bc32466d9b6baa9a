/** `1:02:03`, or `2:03` if there are no hours. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** Describes a part of the meeting that is missing in the recording. */
export function gapText({ at, seconds }: { at: number; seconds: number }): string {
  return `${seconds.toFixed(1)} s of the meeting are missing at ${clock(at)}.`
}
