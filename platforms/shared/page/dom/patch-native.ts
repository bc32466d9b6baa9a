/**
 * Replaces page functions by ones that cannot be distinguished from the browser's own: a Proxy keeps name, length,
 * statics, prototype and `instanceof`, and its source text is that of native code.
 */

/** Wraps a method where it is defined, with the same property attributes. Does nothing if the browser lacks it. */
export function wrapMethod<Owner extends object>(
  owner: Owner,
  name: string,
  wrapped: (native: (...given: unknown[]) => unknown, self: unknown, given: unknown[]) => unknown,
): () => void {
  const property = Object.getOwnPropertyDescriptor(owner, name)
  const native = property?.value
  if (!property || typeof native !== 'function') return () => {}
  const proxy = new Proxy(native, {
    apply: (target, self, given) => wrapped((...changed) => Reflect.apply(target, self, changed), self, given),
  })
  Object.defineProperty(owner, name, { ...property, value: proxy })
  return () => {
    // Another script may have wrapped it since; its wrapper stays.
    if (Object.getOwnPropertyDescriptor(owner, name)?.value === proxy) Object.defineProperty(owner, name, property)
  }
}

/**
 * Wraps a global constructor. `constructed` sees every new instance before the page does, those of subclasses too.
 */
export function wrapConstructor<Instance extends object>(
  realm: object,
  name: string,
  constructed: (instance: Instance) => void,
): void {
  const property = Object.getOwnPropertyDescriptor(realm, name)
  const native = property?.value
  if (!property || typeof native !== 'function') return
  const proxy: object = new Proxy(native, {
    construct(target, given, newTarget): object {
      const instance: object = Reflect.construct(target, given, newTarget === proxy ? target : newTarget)
      constructed(instance as Instance)
      return instance
    },
  })
  // `instance.constructor` has to be the same function as the global one, and old prefixed names mean the same too.
  const backReference = Object.getOwnPropertyDescriptor(native.prototype, 'constructor')
  Object.defineProperty(native.prototype, 'constructor', { ...backReference, value: proxy })
  for (const alias of Object.getOwnPropertyNames(realm)) {
    const own = Object.getOwnPropertyDescriptor(realm, alias)
    if (own?.value === native) Object.defineProperty(realm, alias, { ...own, value: proxy })
  }
}

/**
 * One instance per page and name: a script that runs twice in the same page finds the first one. The page's own
 * enumerations do not show it.
 */
export function oncePerPage<Kept>(name: string, create: () => Kept): Kept {
  const key = Symbol.for(`standin.${name}`)
  const realm = globalThis as unknown as Record<symbol, Kept | undefined>
  const found = realm[key]
  if (found !== undefined) return found
  const created = create()
  Object.defineProperty(realm, key, { value: created, enumerable: false, configurable: false, writable: false })
  return created
}
