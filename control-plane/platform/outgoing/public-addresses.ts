/** Which addresses a caller may name: public ones, reached by https on a port that belongs to no other protocol. */
import { mayBePublic } from '@standin/wire/network/public-addresses.ts'

/** "Bad ports" of the WHATWG fetch standard, section 2.9: a request there may be read as another protocol's command. */
const FORBIDDEN_PORTS = new Set(
  (
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 ' +
    '135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 ' +
    '995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  )
    .split(' ')
    .map(Number),
)
const MAX_URL_LENGTH = 4096

/** A sentence about what is wrong with an address, without a lookup; null if it may be tried. */
export function addressProblem(text: string, allowPrivate: boolean, maxLength = MAX_URL_LENGTH): string | null {
  if (text.length > maxLength) return `The address is longer than ${maxLength} characters`
  if (!URL.canParse(text)) return 'The address is not a URL'
  const { protocol, hostname, host, port, username, password } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return 'The address does not start with https://'
  if (username !== '' || password !== '') return `The address of ${host} holds a user name or a password`
  if (port !== '' && FORBIDDEN_PORTS.has(Number(port))) return `Port ${port} of ${hostname} is not allowed`
  if (allowPrivate) return null
  if (protocol !== 'https:') return `The address of ${host} does not start with https://`
  return mayBePublic(hostname) ? null : `${host} is not a public address`
}
