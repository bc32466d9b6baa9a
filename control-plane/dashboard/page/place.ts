/** The path under which a proxy serves the service, which is before `/dashboard/app.js`; empty without one. */
export const ROOT = new URL('..', import.meta.url).pathname.slice(0, -1)

/** Where the service is, as programs call it. */
export const SERVICE = `${location.origin}${ROOT}`
