/** Makes the address of a worker of ours one that a page with Trusted Types accepts. */
import { wrapMethod } from '../../dom/patch-native.ts'

type Rule = (text: string, ...more: unknown[]) => unknown

/** Missing in TypeScript's library. */
interface TrustedTypePolicy {
  createScriptURL(address: string): string
}
declare const trustedTypes:
  | { createPolicy(name: string, rules: { createScriptURL: (address: string) => string }): TrustedTypePolicy }
  | undefined

/**
 * To be called at document start. A page may list the names of the policies that it allows (`trusted-types a b`), as
 * large pages do: then only its own policies can make an address one that it accepts, and the first of them that makes
 * addresses of scripts accepts ours too. A page without one gets a policy named `ownName`. An address is returned as it is
 * if the page allows neither.
 */
export function trustedAddresses(ownName: string | undefined): (address: string) => string {
  if (ownName === undefined || typeof trustedTypes !== 'object') return (address) => address
  const factory = trustedTypes
  const ours = new Set<unknown>()
  let policy: TrustedTypePolicy | null = null
  let isOwnRefused = false
  wrapMethod(Object.getPrototypeOf(factory), 'createPolicy', (native, _, [name, rules]) => {
    const { createHTML, createScript, createScriptURL } = (rules ?? {}) as Record<string, Rule | undefined>
    if (policy !== null || typeof createScriptURL !== 'function') return native(name, rules)
    const accepts: Rule = (address, ...more) => (ours.has(address) ? address : createScriptURL(address, ...more))
    const made = native(name, { createHTML, createScript, createScriptURL: accepts })
    policy = made as TrustedTypePolicy
    return made
  })
  const ownPolicy = () => {
    if (isOwnRefused) return null
    try {
      return factory.createPolicy(ownName, { createScriptURL: (address) => address })
    } catch {
      // The browser may report each try to the page's server.
      isOwnRefused = true
      return null
    }
  }
  return (address) => {
    ours.add(address)
    policy ??= ownPolicy()
    return policy?.createScriptURL(address) ?? address
  }
}
