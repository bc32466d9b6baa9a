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
 * large pages do: then only its own policies can make an address one that it accepts. They do so for the addresses that
 * are asked for here, and for no other address of ours. A page that lists none gets a policy named `ownName`. An address
 * is returned as it is if the page allows neither.
 */
export function trustedAddresses(ownName: string | undefined): (address: string) => string {
  if (ownName === undefined || typeof trustedTypes !== 'object') return (address) => address
  const factory = trustedTypes
  const ours = new Set<unknown>()
  let policy: TrustedTypePolicy | null = null
  wrapMethod(Object.getPrototypeOf(factory), 'createPolicy', (native, _, [name, rules]) => {
    const { createHTML, createScript, createScriptURL } = (rules ?? {}) as Record<string, Rule | undefined>
    if (policy !== null || typeof createScriptURL !== 'function') return native(name, rules)
    const accepts: Rule = (address, ...more) => (ours.has(address) ? address : createScriptURL(address, ...more))
    const made = native(name, { createHTML, createScript, createScriptURL: accepts })
    policy = made as TrustedTypePolicy
    return made
  })
  return (address) => {
    ours.add(address)
    try {
      // If the page has a policy, its own name cannot be one that it does not allow: that would be reported to its server.
      policy ??= factory.createPolicy(ownName, { createScriptURL: (asked) => asked })
      return policy.createScriptURL(address)
    } catch {
      return address
    }
  }
}
