import { z } from "zod"

/** Names of the members of the object at a path; none for an object that is one of several forms. */
export function namesAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return namesAt(schema.unwrap(), path)
  const [part, ...rest] = path
  if (schema instanceof z.ZodArray) return namesAt(schema.element, rest)
  if (!(schema instanceof z.ZodObject)) return []
  if (part === undefined) return Object.keys(schema.shape)
  const member = (schema.shape as z.core.$ZodShape)[String(part)]
  return member === undefined ? [] : namesAt(member, rest)
}
