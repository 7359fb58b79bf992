// The checks of `policy create` before it sends a policy. They are advice: the signer decides, and refuses faults itself.
import { existsSync } from "node:fs"
import { fromJson } from "@bufbuild/protobuf"
import {
  type OrganizationDocument,
  OrganizationDocumentSchema,
  type User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { counted } from "../../../signer/core/counted.ts"
import { compile } from "../../../signer/core/policy/expression.ts"
import { nameText } from "../../../signer/core/words/text.ts"
import { checkExpressions } from "../../policy-advice/check.ts"
import type { PolicyDraft } from "../../policy-advice/draft.ts"
import { knownNamesOf, searchMeasureOf } from "../../policy-advice/known.ts"
import { notesOf } from "../../policy-advice/notes.ts"
import { type SmallestConsensus, smallestConsensus } from "../../policy-advice/smallest-consensus.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import type { FileMembers } from "../../terminal-client/files/members-file.ts"
import { readSignedContent } from "../../terminal-client/names/signed-names.ts"
import { linesOfNote } from "../../terminal-client/note-lines.ts"

/**
 * Logs facts about a policy before it is sent: its types, who could approve, and hints. Logs nothing about expressions that would be
 * refused, because the answer to the request says why.
 *
 * @returns true if all its hints were logged
 */
export async function reviewPolicy(members: FileMembers, stamping: Stamping): Promise<boolean> {
  const draft = draftIn(members)
  const { log } = stamping.terminal
  const nowMs = Date.now()
  if (checkExpressions(draft, { effect: draft.effect }).some(({ fault }) => fault !== undefined)) return false
  const document = await documentOf(stamping)
  if (document === undefined) {
    log("checked   types ok; without pins nothing is compared with the organization")
    return false
  }
  const notes = notesOf(draft, knownNamesOf(draft.effect, document, nowMs, searchMeasureOf(document)))
  const hints = notes.length === 0 ? "no hints" : counted(notes.length, "hint")
  log(`checked   ${["types ok", ...whoApproves(draft, document, nowMs), hints].join("; ")}`)
  for (const { sentence, at } of notes)
    for (const line of linesOfNote("note", { sentence, ...(at && { at }) })) log(line)
  return true
}

function draftIn(members: FileMembers): PolicyDraft {
  const textOf = (member: string) => {
    const text = members[member]
    return typeof text === "string" && text !== "" ? text : undefined
  }
  return {
    name: textOf("policyName") ?? "",
    effect: members["effect"] === "EFFECT_ALLOW" ? "allow" : "deny",
    condition: textOf("condition"),
    consensus: textOf("consensus"),
    time: textOf("time"),
  }
}

/** The organization as the pinned signer signed it; undefined: there are no pins, or it is not shown. */
async function documentOf(stamping: Stamping): Promise<OrganizationDocument | undefined> {
  if (!existsSync(stamping.pinsFile)) return undefined
  const content = await readSignedContent(stamping, stamping.pinsFile).catch(() => undefined)
  return content && fromJson(OrganizationDocumentSchema, content as never)
}

/** Who makes the consensus of an ALLOW true. Without one every user does, which is a hint. */
function whoApproves(
  { effect, consensus }: PolicyDraft,
  document: OrganizationDocument,
  nowMs: number,
): string[] {
  if (effect !== "allow" || consensus === undefined) return []
  return [whoSuffices(smallestConsensus(compile(consensus, "consensus"), document, nowMs))]
}

/** Sets that one line lists. */
const MAX_SHOWN = 3

function whoSuffices({ sets, triedUpTo }: SmallestConsensus): string {
  const [first] = sets
  if (first === undefined)
    return triedUpTo === 0
      ? "the search for users who could approve found no answer in time"
      : noSetOf(triedUpTo)
  const shown = sets.slice(0, MAX_SHOWN).map(namesOf)
  const more = sets.length > MAX_SHOWN ? [`${sets.length - MAX_SHOWN} more`] : []
  return `${[...shown, ...more].join(" or ")} ${first.length === 1 ? "suffices" : "suffice"}`
}

function noSetOf(users: number): string {
  return users === 1 ? "no single user could approve" : `no ${counted(users, "user")} could approve together`
}

function namesOf(users: readonly User[]): string {
  return users.map(({ name }) => nameText(name)).join("+")
}
