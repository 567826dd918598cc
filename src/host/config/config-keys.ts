/**
 * The schema of the configuration file, walked: its keys, as they are written with points between the sections, and the
 * same as JSON Schema.
 */
import * as z from 'zod'
import { ConfigFile } from './config-file.ts'

/** Such as `ring.max_frames`, in the order of the file's schema; what is under `links` has names of the person's own. */
export function configKeys(): readonly string[] {
  return keysOf(ConfigFile, '')
}

/** The same as JSON Schema, as a file is written: defaults and meanings are in it. */
export function configSchema(): unknown {
  return z.toJSONSchema(ConfigFile, { io: 'input', unrepresentable: 'any' })
}

function keysOf(section: z.ZodObject, prefix: string): readonly string[] {
  return Object.entries(section.shape).flatMap(([name, schema]) => {
    const inner = sectionOf(schema)
    return inner === undefined ? [`${prefix}${name}`] : keysOf(inner, `${prefix}${name}.`)
  })
}

/** The object behind a default or an optional; undefined for what is no section. */
function sectionOf(schema: z.core.$ZodType): z.ZodObject | undefined {
  if (schema instanceof z.ZodObject) return schema
  const isWrapped =
    schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
  return isWrapped ? sectionOf(schema.def.innerType) : undefined
}
