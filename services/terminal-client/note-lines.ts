import { z } from "zod"
import type { NotePlace, PolicyNote } from "../policy-advice/notes.ts"

/** The lines of one note or fault, indented below its policy. */
export function linesOfNote(
  kind: "FAULT" | "note",
  { sentence, at }: Omit<PolicyNote, "policyName">,
): string[] {
  if (at === undefined) return [`  ${kind}  ${sentence}`]
  const { field, offset, length, text } = at
  return [
    `  ${kind.padEnd(5)} ${field}, ${offset} to ${offset + length}: ${sentence}`,
    `        ${text || "(at the end)"}`,
  ]
}

const place: z.ZodType<NotePlace> = z.object({
  field: z.enum(["condition", "consensus", "time"]),
  offset: z.number(),
  length: z.number(),
  text: z.string(),
})

const notes = z.array(z.object({ policyName: z.string(), sentence: z.string(), at: place.optional() }))

/** The notes in the reply header X-Countersign-Policy-Warnings; none, if it is absent or not of this form. */
export function linesOfHeader(header: string | null): string[] {
  const read = notes.safeParse(readJson(header ?? "[]"))
  const byPolicy = Map.groupBy(read.data ?? [], ({ policyName }) => policyName)
  return [...byPolicy].flatMap(([policyName, own]) => [
    `      ${policyName}`,
    ...own.flatMap(({ sentence, at }) => linesOfNote("note", { sentence, ...(at && { at }) })),
  ])
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
