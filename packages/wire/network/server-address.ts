/** Addresses of servers that may hold a user name and a password, and nothing behind the port. */

/** A clause about what is wrong, which repeats no part of the address; null: nothing. */
export function problemOfServer({ hostname, port, search, hash, pathname, username, password }: URL): string | null {
  if (!/^[A-Za-z0-9_.:[\]-]{1,255}$/.test(hostname)) return 'names no host'
  if (port === '0') return 'names port 0'
  if (search !== '' || hash !== '' || pathname.length > 1) return 'has a part behind the port'
  if (username === '' && password !== '') return 'has a password and no user'
  try {
    decodeURIComponent(username + password)
    return null
  } catch {
    return 'has a user or a password with a % that begins no code'
  }
}
