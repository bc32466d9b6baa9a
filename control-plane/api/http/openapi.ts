/** OpenAPI 3.1 of a generation, made from the zod schemas of its routes. */
import swagger from '@fastify/swagger'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import type { App, Generation } from './generation.ts'
import { SESSION_COOKIE } from './sessions.ts'

export type OpenApiDocument = Record<string, unknown> & {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, { schema: object }> }> }>>
}

/** Strings that are parsed into other types have no output type; the document describes what is sent. */
const zodToJsonConfig = { unrepresentable: 'any' } as const

/** Collects the routes that are registered in the scope afterwards. */
export async function describeRoutes(
  scope: App,
  { title, keyHeader }: NonNullable<Generation['document']>,
  { publicUrl, prefix }: { publicUrl: string; prefix: string },
): Promise<() => OpenApiDocument> {
  await scope.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version: '1.0.0' },
      servers: [{ url: keyHeader === null ? `${publicUrl}${prefix}` : publicUrl }],
      security: [{ key: [] }],
      components: {
        securitySchemes: {
          key: { type: 'apiKey', in: keyHeader === null ? 'cookie' : 'header', name: keyHeader ?? SESSION_COOKIE },
        },
      },
    },
    transform: createJsonSchemaTransform({ zodToJsonConfig }),
    transformObject: createJsonSchemaTransformObject({ zodToJsonConfig }),
  })
  let made: OpenApiDocument | undefined
  return () => {
    made ??= withoutUnusedSchemas(scope.swagger() as unknown as OpenApiDocument)
    return made
  }
}

/** Named schemas of other generations are in the same registry of zod, and do not belong in this document. */
function withoutUnusedSchemas(document: OpenApiDocument): OpenApiDocument {
  const components = document.components as { schemas?: Record<string, unknown> } | undefined
  const schemas = components?.schemas ?? {}
  const used = new Set<string>()
  const follow = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      const target = name === '$ref' && typeof inner === 'string' ? inner.split('/').at(-1)! : null
      if (target === null) follow(inner)
      else if (!used.has(target)) {
        used.add(target)
        follow(schemas[target])
      }
    }
  }
  follow(document.paths)
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
  return { ...document, components: { ...components, schemas: kept } }
}
