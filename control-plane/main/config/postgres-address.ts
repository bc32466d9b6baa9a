/** The address of a PostgreSQL database, as the driver reads it. */
import { type Kind, kind } from './kind.ts'

const CODES: Readonly<Record<string, string>> = { '#': '%23', '/': '%2F', '?': '%3F' }

/** The text may hold a password, so no message repeats a part of it. */
export const postgresAddress: Kind<string> = kind(
  'Write postgresql://user:password@host:5432/name, or postgresql://user@/name?host=/var/run/postgresql for a socket, or leave it out for a server in the data folder',
  (text) => {
    const [, rest] = /^postgres(?:ql)?:\/\/(.*)$/is.exec(text) ?? []
    if (rest === undefined) throw new Error('is not the address of a PostgreSQL database')
    // An @ follows a user and a password, which one of these ends. Behind a = it may be a value of the query.
    const sign = /^[^@/?#]*(?:#[^@]*|\/[^@?]*|\?[^@=]*)@/.test(rest) && /[/?#]/.exec(rest)?.[0]
    if (sign) throw new Error(`has a ${sign} in its user or password that is not encoded; it is written ${CODES[sign]}`)
    const [, hosts = ''] = /^(?:[^@/]*@)?([^/?]*)/.exec(rest) ?? []
    if (hosts.includes(','))
      throw new Error('names several hosts; write one that leads to the server which takes writes')
    // A socket has no host.
    const url = URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/'))
    if (url === null) throw new Error('is not the address of a PostgreSQL database')
    if (url.hash !== '') throw new Error('has a # that is not encoded; it is written %23')
    try {
      decodeURIComponent(url.username + url.password + url.pathname)
    } catch {
      throw new Error('has a % in its user, password or name that begins no code; it is written %25')
    }
    return text
  },
)
