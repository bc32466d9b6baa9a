/** The time of the stand-ins. It runs like the real time, and a test or a person can advance it. */
export class StandInClock {
  private offset: number

  /** Starts at `start`; at the real time if it is left out. */
  constructor(start?: Date) {
    this.offset = start === undefined ? 0 : start.getTime() - Date.now()
  }

  /** UTC milliseconds. */
  now(): number {
    return Date.now() + this.offset
  }

  date(): Date {
    return new Date(this.now())
  }

  advance(milliseconds: number): void {
    this.offset += milliseconds
  }
}
