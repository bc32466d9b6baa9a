/** The doctor's result for one part of the machine. */
export interface Finding {
  part: string
  /** `unfit`: a bot cannot run. `warning`: it can, with the drawback that `found` names. */
  verdict: 'fit' | 'warning' | 'unfit'
  /** Observed value, for people: a version, a size, or the problem. */
  found: string
  /** How to fix it; present on every part that is not fit. */
  cure?: string
}

export const fine = (part: string, found: string): Finding => ({ part, verdict: 'fit', found })

export const warning = (part: string, found: string, cure: string): Finding => ({
  part,
  verdict: 'warning',
  found,
  cure,
})

export const unfit = (part: string, found: string, cure: string): Finding => ({ part, verdict: 'unfit', found, cure })

export const installing = (...packages: string[]): string =>
  `apt-get install -y --no-install-recommends ${packages.join(' ')}`
