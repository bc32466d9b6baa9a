/** Routes of a public generation: path, documentation and handler of each operation in one object. */
import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { ZodType, z } from 'zod'
import type { App } from './generation.ts'

/** A schema, or what OpenAPI says of an answer with several media types. */
type AnswerSchema = ZodType | { description: string; content: Record<string, { schema: ZodType }> }
type BodyOf<Answer> = Answer extends ZodType ? z.input<Answer> : unknown

interface Operation<Params extends ZodType, Query extends ZodType, Body extends ZodType, Answer extends AnswerSchema>
  extends Pick<RouteShorthandOptions, 'bodyLimit' | 'config' | 'handlerTimeout' | 'preValidation'> {
  summary: string
  description?: string
  params?: Params
  querystring?: Query
  /** A loose object, which keeps the other headers. */
  headers?: ZodType
  body?: Body
  /** A body that works. */
  example?: FastifyContextConfig['example']
  /** Of a success; its status is 200 if none is named. */
  answer: Answer
  status?: number
  /** Statuses of refusals besides those that every operation has. */
  refusals?: number[]
  handle(
    request: FastifyRequest<{ Params: z.output<Params>; Querystring: z.output<Query>; Body: z.output<Body> }>,
    reply: FastifyReply,
  ): Promise<BodyOf<Answer> | FastifyReply>
}

/** `errors` makes the schemas of refusals: those of every operation, and those of the given statuses. */
export function documentedRoutes(app: App, tag: string, errors: (...statuses: number[]) => Record<string, ZodType>) {
  const add =
    (method: 'GET' | 'POST' | 'PATCH' | 'DELETE') =>
    <Params extends ZodType, Query extends ZodType, Body extends ZodType, Answer extends AnswerSchema>(
      url: string,
      operation: Operation<Params, Query, Body, Answer>,
    ): void => {
      const {
        summary,
        description,
        params,
        querystring,
        headers,
        body,
        answer,
        status = 200,
        refusals = [],
      } = operation
      const { handle, bodyLimit, handlerTimeout, preValidation, example } = operation
      const config = { ...operation.config, ...(example && { example }) }
      const response = { [status]: answer, ...errors(...refusals) }
      const schema = { summary, description, tags: [tag], params, querystring, headers, body, response }
      app.route({
        ...{ method, url, bodyLimit, config, handlerTimeout, preValidation },
        // Fastify warns of parts that are there and undefined.
        schema: Object.fromEntries(Object.entries(schema).filter(([, part]) => part !== undefined)) as object,
        handler: (request, reply) => handle(request as never, reply.code(status) as never),
      })
    }
  return { get: add('GET'), post: add('POST'), patch: add('PATCH'), delete: add('DELETE') }
}
