import type { PolicyNote } from "../policy-advice/notes.ts"

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

/** The notes in the reply header X-Countersign-Policy-Warnings; none, if it is absent or not of this form. */
export async function linesOfHeader(header: string | null): Promise<string[]> {
  if (header === null) return []
  // Most replies have none, and the reader of values takes longer to load than the rest of a command.
  const { readNotes } = await import("./policy-warnings.ts")
  const byPolicy = Map.groupBy(readNotes(header), ({ policyName }) => policyName)
  return [...byPolicy].flatMap(([policyName, own]) => [
    `      ${policyName}`,
    ...own.flatMap(({ sentence, at }) => linesOfNote("note", { sentence, ...(at && { at }) })),
  ])
}
