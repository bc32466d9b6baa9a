/** Writes `docs/schemas/`: the messages of the wire as JSON Schema, for people who do not write TypeScript. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { botCommandSchema } from '@standin/wire/commands.ts'
import { downMessageSchema, upMessageSchema } from '@standin/wire/control-link.ts'
import { botEventSchema } from '@standin/wire/events.ts'
import { jobSchema } from '@standin/wire/job.ts'
import { z } from 'zod'

export const SCHEMAS_FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs', 'schemas')

const SCHEMAS: Record<string, { schema: z.ZodType; title: string }> = {
  job: { schema: jobSchema, title: 'The job: the complete instructions of one bot' },
  event: { schema: botEventSchema, title: 'An event: something the bot reports' },
  'up-message': { schema: upMessageSchema, title: 'A message from the bot to the control plane' },
  'down-message': { schema: downMessageSchema, title: 'A message from the control plane to the bot' },
  command: { schema: botCommandSchema, title: 'A command: an instruction to a running bot' },
}

/** Name of each file and its whole content. A schema that is part of another one is a reference to its file. */
export function schemaFiles(): Map<string, string> {
  return new Map(
    Object.entries(SCHEMAS).map(([name, { schema, title }]) => {
      // As a sender writes it: fields with a default may be left out. Rules that JSON Schema cannot express (an
      // address's protocol, text that is not only white space) are checked by the program only.
      const { $schema, ...rest } = z.toJSONSchema(schema, {
        io: 'input',
        override({ zodSchema, jsonSchema }) {
          const other = Object.entries(SCHEMAS).find(([, one]) => (one.schema as unknown) === zodSchema)?.[0]
          if (other === undefined || other === name) return
          for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
          jsonSchema.$ref = `${other}.json`
        },
      })
      return [`${name}.json`, `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`]
    }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(SCHEMAS_FOLDER, { recursive: true })
  for (const [name, content] of schemaFiles()) writeFileSync(join(SCHEMAS_FOLDER, name), content)
}
