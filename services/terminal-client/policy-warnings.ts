import { z } from "zod"
import type { NotePlace } from "../policy-advice/notes.ts"

const place: z.ZodType<NotePlace> = z.object({
  field: z.enum(["condition", "consensus", "time"]),
  offset: z.number(),
  length: z.number(),
  text: z.string(),
})

const notes = z.array(z.object({ policyName: z.string(), sentence: z.string(), at: place.optional() }))

/** Notes on policies in a reply's header, JSON; none, if it is not of this form. */
export function readNotes(header: string) {
  return notes.safeParse(readJson(header)).data ?? []
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
