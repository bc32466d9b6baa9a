/** Of an answer that leads elsewhere; every client refuses each of them, for reading and for writing. */
export const REDIRECTS = [301, 302, 303, 307, 308] as const
