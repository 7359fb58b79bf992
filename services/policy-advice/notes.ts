import type { Field } from "../../signer/core/policy/expression.ts"
import { checkExpressions, policyWarnings } from "./check.ts"
import type { PolicyDraft } from "./draft.ts"
import type { OrganizationNames } from "./warning.ts"

/** A mistake in a policy that is not refused. `at`: its place in an expression; absent: the policy as a whole. */
export type PolicyNote = { policyName: string; sentence: string; at?: NotePlace }

/** `offset` and `length` in UTF-16 code units; `text`: this part of the expression. */
export type NotePlace = { field: Field; offset: number; length: number; text: string }

/** The notes about a policy whose expressions compile, in the order of `policy check`. */
export function notesOf(draft: PolicyDraft, known: OrganizationNames): PolicyNote[] {
  const { name: policyName } = draft
  const aboutWhole = policyWarnings(draft.effect, draft).map((sentence) => ({ policyName, sentence }))
  const aboutParts = checkExpressions(draft, known).flatMap(({ field, text, warnings }) =>
    warnings.map(({ sentence, offset, length }) => ({
      policyName,
      sentence,
      at: { field, offset, length, text: text.slice(offset, offset + Math.max(length, 1)) },
    })),
  )
  return [...aboutWhole, ...aboutParts]
}
