/** Paths and commands of a container, as the person outside of it needs them. */
import { hostname } from 'node:os'

/** `docker` or `podman`, as `container` names the engine; our images say `docker`. Null elsewhere. */
export function containerEngine({ container }: Readonly<Record<string, string | undefined>>): string | null {
  return container === 'docker' || container === 'podman' ? container : null
}

/** A command as a shell outside of this container runs it; elsewhere as it is. */
export function fromOutside(command: string, environment: Readonly<Record<string, string | undefined>>): string {
  const engine = containerEngine(environment)
  return engine === null ? command : `${engine} exec ${hostname()} ${command}`
}
